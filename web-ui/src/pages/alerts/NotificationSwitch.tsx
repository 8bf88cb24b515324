import { useState } from "react";
import { type Choice, setNotifications, useNotifications } from "../../lib/notifications";

const SAYS: Record<Choice, string> = {
  unavailable: "This browser cannot show notifications here",
  denied: "This browser blocks notifications from this page: allow them in its settings",
  off: "Notifications are off in this browser",
  on: "Notifications are on in this browser",
};

/** Has the browser show alerts; it asks the visitor first. */
export function NotificationSwitch() {
  const choice = useNotifications();
  const [asking, setAsking] = useState(false);
  const change = async (): Promise<void> => {
    setAsking(true);
    await setNotifications(choice !== "on");
    setAsking(false);
  };
  return (
    <div className="notification-switch">
      <span className="muted">{SAYS[choice]}</span>
      {(choice === "on" || choice === "off") && (
        <button
          type="button"
          className="p-button"
          disabled={asking}
          onClick={() => void change()}
        >
          {choice === "on" ? "Turn notifications off" : "Turn notifications on"}
        </button>
      )}
    </div>
  );
}
