import type { ReactNode } from "react";

interface Props {
  /** On 16 by 16 units. */
  path: string;
  strokeWidth?: number;
  children?: ReactNode;
}

function Icon({ path, strokeWidth, children }: Props) {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" className="icon">
      {children}
      <path d={path} strokeWidth={strokeWidth} />
    </svg>
  );
}

export const CopyIcon = () => (
  <Icon path="M7 5.5h5A1.5 1.5 0 0 1 13.5 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5zM3.5 10.5h-1v-8h8v1" />
);
export const CheckIcon = () => <Icon path="m3 8.5 3.5 3.5L13 4.5" />;
export const WarningIcon = () => <Icon path="M8 2.5 14 13H2zM8 6.5v3M8 11.4v.1" />;
export const SearchIcon = () => (
  <Icon path="m10.5 10.5 3 3">
    <circle cx="7" cy="7" r="4.5" />
  </Icon>
);
export const CloseIcon = () => <Icon path="m4 4 8 8M12 4l-8 8" />;
export const ChevronIcon = () => <Icon path="m4 6 4 4 4-4" />;
export const RightIcon = () => <Icon path="m6 4 4 4-4 4" />;
export const LeftIcon = () => <Icon path="m10 4-4 4 4 4" />;
export const MoreIcon = () => <Icon path="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth={2.2} />;
