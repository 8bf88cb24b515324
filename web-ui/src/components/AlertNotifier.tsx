/** Shows alerts as notifications of the browser, while a page is open and the visitor wants them. */
import { useCallback, useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import type { AlertInfo, LiveEvent } from "../api/types";
import { Fresh, notice, useNotifications } from "../lib/notifications";
import { useEvents } from "../live/context";

/** How long alerts are gathered for one notification. */
const GATHER = 1_000;

export function AlertNotifier() {
  const on = useNotifications() === "on";
  const navigate = useNavigate();
  const fresh = useRef(new Fresh());
  const waiting = useRef<AlertInfo[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = useCallback(() => {
    timer.current = undefined;
    const alerts = waiting.current;
    waiting.current = [];
    if (alerts.length === 0) return;
    const { title, body } = notice(alerts);
    const shown = new Notification(title, { body, tag: `periapt-${alerts[0]?.id ?? 0}` });
    shown.onclick = () => {
      window.focus();
      void navigate("/alerts");
      shown.close();
    };
  }, [navigate]);
  const listen = useCallback(
    (event: LiveEvent) => {
      if (event.kind !== "alert" || !event.entity) return;
      const began = fresh.current.take([event.entity as AlertInfo]);
      if (!on || began.length === 0) return;
      waiting.current.push(...began);
      timer.current ??= setTimeout(show, GATHER);
    },
    [on, show],
  );
  useEvents(listen);
  return null;
}
