import { useState } from "react";
import type { TaskInfo } from "../../api/types";
import { natural } from "../../lib/attention";
import { openAtFirst, receiverOf } from "../../lib/operations";
import { TaskSection } from "./TaskSection";

/** So many are shown before the others are asked for. */
const MOST = 50;

interface Properties {
  model: string;
  tasks: readonly TaskInfo[];
  /** None where nothing can be cancelled. */
  onCancel: ((task: TaskInfo) => void) | null;
}

/** The tasks of an operation by their units, or machines. What was opened stays open, whatever becomes of it. */
export function TaskList({ model, tasks, onCancel }: Properties) {
  const sorted = tasks.toSorted((one, other) => natural(receiverOf(one), receiverOf(other)));
  const [open, setOpen] = useState(() => new Set(openAtFirst(sorted)));
  const [all, setAll] = useState(false);
  const first = sorted.findIndex(({ id }) => open.has(id));
  const shown = all ? sorted.length : Math.max(MOST, first + 1);
  const toggle = (id: number): void =>
    setOpen((known) => {
      const next = new Set(known);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <div className="section">
      {sorted.slice(0, shown).map((task) => (
        <TaskSection
          key={task.id}
          model={model}
          task={task}
          open={open.has(task.id)}
          onToggle={() => toggle(task.id)}
          onCancel={onCancel && (() => onCancel(task))}
        />
      ))}
      {sorted.length > shown && (
        <button type="button" className="p-button" onClick={() => setAll(true)}>
          All {sorted.length} tasks
        </button>
      )}
    </div>
  );
}
