import { PreferenceSelect } from "./PreferenceSelect.tsx";

export function ThemeSwitch() {
  return (
    <PreferenceSelect
      name="theme"
      label="Theme"
      options={{ system: "System", light: "Light", dark: "Dark" }}
    />
  );
}
