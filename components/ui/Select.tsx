import { buttonClass } from "./Button.tsx";

interface Props<Choice extends string | number> {
  /** Accessible name, unless a `label` element names it. */
  label?: string;
  value: Choice;
  choices: readonly (readonly [value: Choice, text: string])[];
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
      {choices.map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </select>
  );
}
