import { useId } from "react";
import { setTheme, type Theme, useTheme } from "../lib/theme";

export function ThemeSwitch() {
  const theme = useTheme();
  const id = useId();
  return (
    <div className="theme-switch">
      <label htmlFor={id}>Theme</label>
      <select id={id} value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </div>
  );
}
