/**
 * How the lines of a drawn graph run: around boxes, never behind one. Pure: places in, corners out.
 *
 * Boxes of a connected part stand in bands: rows of a picture that goes down, columns of one that goes to the right.
 * A line passes each band between its ends through a gap between two boxes, and turns only in the room between bands.
 */
import { parts, type Box, type Direction, type Drawing, type Link, type Place } from './layout';

export interface RoutedLink extends Link {
  id: string;
}

/** Where a line that ends within a box ends: at something that is drawn at its side. */
export interface Pin {
  box: string;
  place: Place;
  width: number;
  height: number;
}

export interface Route {
  /** Both ends and the corners between. */
  corners: Place[];
  /** Middle of what is written at it. */
  label: Place;
}

/** Where boxes stand and how lines run; a line without a route takes the shortest way. */
export interface Picture {
  drawing: Drawing;
  direction: Direction;
  routes?: ReadonlyMap<string, Route>;
}

/** Room between a line and a box that it passes. */
const CLEAR = 6;
/** Between lines that pass the same gap. */
const LANE = 6;
/** How far from its part a line may run around the end of a band: parts stand farther apart. */
const OUTSIDE = 36;
/** How far out of their band lines run that begin and end in the same one. */
const BELOW = 10;

/** A box or a pin: from `start` to `end` along the direction, from `low` to `high` across it. */
interface Extent {
  start: number;
  end: number;
  low: number;
  high: number;
}

interface Band {
  start: number;
  end: number;
  boxes: Extent[];
}

/** A place on the way: along the direction, and across it. */
interface Step {
  along: number;
  across: number;
}

interface Passage {
  band: number;
  gap: number;
  across: number;
}

interface Course {
  id: string;
  leave: Step[];
  arrive: Step[];
  passages: Passage[];
  ways: { from: number; to: number };
}

export function routesOf(
  boxes: Box[],
  links: RoutedLink[],
  drawing: Drawing,
  direction: Direction,
  pins: ReadonlyMap<string, Pin> = new Map(),
): Map<string, Route> {
  const down = direction === 'TB';
  const extent = ({ x, y }: Place, { width, height }: { width: number; height: number }): Extent =>
    down
      ? { start: y, end: y + height, low: x, high: x + width }
      : { start: x, end: x + width, low: y, high: y + height };
  const placeOf = ({ along, across }: Step): Place => (down ? { x: across, y: along } : { x: along, y: across });
  const boxOf = (id: string): string => pins.get(id)?.box ?? id;
  /** Where a box ends and what hangs at it begins. */
  const hosts = new Map<string, number>();
  for (const { box, place } of pins.values()) hosts.set(box, Math.min(hosts.get(box) ?? Infinity, place.y));
  const whole = links.map(({ source, target }) => ({ source: boxOf(source), target: boxOf(target) }));

  const routes = new Map<string, Route>();
  for (const part of parts(boxes, whole).connected) {
    const extents = new Map<string, Extent>();
    for (const box of part) {
      const place = drawing.places.get(box.id);
      if (place) extents.set(box.id, extent(place, box));
    }
    const bands = bandsOf([...extents.values()]);
    const gaps = bands.map((band) => gapsOf(band, [...extents.values()]));
    const own = links.flatMap((link): Course[] => {
      const [source, target] = [extents.get(boxOf(link.source)), extents.get(boxOf(link.target))];
      if (!source || !target || source === target) return [];
      const [from, to] = [bandOf(bands, source), bandOf(bands, target)];
      const pinned = (id: string, forwards: boolean): Extent | null => {
        const pin = pins.get(id);
        if (pin) return extent(pin.place, pin);
        // Below what hangs at a box a line of the box would seem to be one of that.
        const [own, end] = [extents.get(id), hosts.get(id)];
        return down && forwards && own && end !== undefined ? { ...own, end } : null;
      };
      // Out of the same band both ends look to the same side.
      const leave = way(source, pinned(link.source, from <= to), bands[from], from <= to, down);
      const arrive = way(target, pinned(link.target, from >= to), bands[to], from >= to, down).reverse();
      return [{ id: link.id, leave, arrive, passages: passagesOf(bands, gaps, from, to, leave, arrive), ways: { from, to } }];
    });
    spread(own, gaps);
    for (const course of own) {
      const steps = stepsOf(course, bands);
      routes.set(course.id, { corners: steps.map(placeOf), label: placeOf(middle(steps)) });
    }
  }
  return routes;
}

/** Bands in their order: boxes that overlap along the direction stand in the same one. */
function bandsOf(extents: Extent[]): Band[] {
  const bands: Band[] = [];
  for (const box of [...extents].sort((a, b) => a.start - b.start)) {
    const last = bands.at(-1);
    if (last && box.start < last.end) {
      last.end = Math.max(last.end, box.end);
      last.boxes.push(box);
    } else bands.push({ start: box.start, end: box.end, boxes: [box] });
  }
  for (const band of bands) band.boxes.sort((a, b) => a.low - b.low);
  return bands;
}

const bandOf = (bands: Band[], box: Extent): number => bands.findIndex((band) => band.boxes.includes(box));

/** Where a band can be passed: between its boxes, and around both of its ends. */
function gapsOf(band: Band, all: Extent[]): { low: number; high: number }[] {
  const gaps = [];
  let low = Math.min(...all.map((each) => each.low)) - OUTSIDE;
  for (const box of band.boxes) {
    if (box.low - CLEAR >= low) gaps.push({ low, high: box.low - CLEAR });
    low = Math.max(low, box.high + CLEAR);
  }
  gaps.push({ low, high: Math.max(low, Math.max(...all.map((each) => each.high)) + OUTSIDE) });
  return gaps;
}

/** From an end of a line to the border of its band, forwards or backwards. */
function way(box: Extent, pin: Extent | null, band: Band | undefined, forwards: boolean, down: boolean): Step[] {
  const border = (forwards ? band?.end : band?.start) ?? box.end;
  const side = (one: Extent): number => (forwards ? one.end : one.start);
  const middleOf = ({ low, high }: Extent): number => (low + high) / 2;
  if (pin && down) {
    // Above and below it stands its box, or another pin: around them.
    const along = (pin.start + pin.end) / 2;
    const beside = box.low - CLEAR;
    return [{ along, across: pin.low }, { along, across: beside }, { along: border, across: beside }];
  }
  const across = middleOf(pin ?? box);
  const first = { along: side(pin ?? box), across };
  return first.along === border ? [first] : [first, { along: border, across }];
}

/** The gaps that a line takes, each as little out of its way as can be. */
function passagesOf(
  bands: Band[],
  gaps: { low: number; high: number }[][],
  from: number,
  to: number,
  leave: Step[],
  arrive: Step[],
): Passage[] {
  const [begin, end] = [leave.at(-1), arrive[0]];
  if (!begin || !end) return [];
  const passages: Passage[] = [];
  const step = from < to ? 1 : -1;
  let before = begin.across;
  for (let band = from + step; from !== to && band !== to; band += step) {
    const { start = 0, end: until = 0 } = bands[band] ?? {};
    const share = ((start + until) / 2 - begin.along) / (end.along - begin.along);
    const straight = begin.across + share * (end.across - begin.across);
    let best: Passage & { cost: number } = { band, gap: 0, across: straight, cost: Infinity };
    (gaps[band] ?? []).forEach(({ low, high }, gap) => {
      const across = Math.min(high, Math.max(low, straight));
      const cost = Math.abs(across - before) + Math.abs(end.across - across) + Math.abs(across - straight) / 100;
      if (cost < best.cost) best = { band, gap, across, cost };
    });
    passages.push(best);
    before = best.across;
  }
  return passages;
}

/** Sets lines apart that pass the same gap, as far as there is room. */
function spread(courses: Course[], gaps: { low: number; high: number }[][]): void {
  const groups = new Map<string, { passage: Passage; goal: number }[]>();
  for (const { passages, arrive } of courses) {
    for (const passage of passages) {
      const key = `${passage.band} ${passage.gap}`;
      groups.set(key, [...(groups.get(key) ?? []), { passage, goal: arrive[0]?.across ?? 0 }]);
    }
  }
  for (const group of groups.values()) {
    const [first] = group;
    const gap = first && gaps[first.passage.band]?.[first.passage.gap];
    if (!gap || group.length < 2) continue;
    const lane = Math.min(LANE, (gap.high - gap.low) / (group.length - 1));
    const sorted = group.sort((a, b) => a.passage.across - b.passage.across || a.goal - b.goal).map((each) => each.passage);
    let least = gap.low;
    for (const passage of sorted) {
      passage.across = Math.max(passage.across, least);
      least = passage.across + lane;
    }
    let most = gap.high;
    for (const passage of sorted.reverse()) {
      passage.across = Math.min(passage.across, most);
      most = passage.across - lane;
    }
  }
}

function stepsOf({ leave, arrive, passages, ways: { from, to } }: Course, bands: Band[]): Step[] {
  const forwards = from < to;
  const between =
    from === to
      ? [leave.at(-1), arrive[0]].flatMap((step) => (step ? [{ along: step.along + BELOW, across: step.across }] : []))
      : passages.flatMap(({ band, across }) => {
          const { start = 0, end = 0 } = bands[band] ?? {};
          return forwards
            ? [{ along: start, across }, { along: end, across }]
            : [{ along: end, across }, { along: start, across }];
        });
  return [...leave, ...between, ...arrive];
}

/** The middle of the longest stretch. */
function middle(steps: Step[]): Step {
  let best = { along: 0, across: 0, length: -1 };
  for (const [index, one] of steps.entries()) {
    const next = steps[index + 1];
    if (!next) break;
    const length = Math.hypot(next.along - one.along, next.across - one.across);
    if (length > best.length) best = { along: (one.along + next.along) / 2, across: (one.across + next.across) / 2, length };
  }
  return best;
}

/** The line as an SVG path: straight along and across, and curved where it changes its lane. */
export function pathOf({ corners }: Route, direction: Direction): string {
  const text = (...places: Place[]): string => places.map(({ x, y }) => `${round(x)} ${round(y)}`).join(' ');
  let path = '';
  corners.forEach((corner, index) => {
    const before = corners[index - 1];
    if (!before) path += `M${text(corner)}`;
    else if (before.x === corner.x || before.y === corner.y) path += `L${text(corner)}`;
    else {
      const [x, y] = [(before.x + corner.x) / 2, (before.y + corner.y) / 2];
      const bends =
        direction === 'TB'
          ? [{ x: before.x, y }, { x: corner.x, y }]
          : [{ x, y: before.y }, { x, y: corner.y }];
      path += `C${text(...bends, corner)}`;
    }
  });
  return path;
}

const round = (value: number): number => Math.round(value * 10) / 10;
