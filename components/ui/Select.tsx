import { buttonClass } from "./Button.tsx";

interface Props<Choice extends string | number> {
  /** Its name, if no `label` element is around it. */
  label?: string;
  value: Choice;
  /** The choices in order, with their words. */
  choices: readonly (readonly [Choice, string])[];
  onChoose: (choice: Choice) => void;
}

export function Select<Choice extends string | number>({ label, value, choices, onChoose }: Props<Choice>) {
  return (
    <select
      aria-label={label}
      className={buttonClass({ size: "narrow" })}
      value={value}
      onChange={({ target }) => {
        const chosen = choices[target.selectedIndex];
        if (chosen) onChoose(chosen[0]);
      }}
    >
      {choices.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
    </select>
  );
}
