// Buttons and links that look like buttons.

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './Icon';

export interface ButtonProps {
  children?: ComponentChildren;
  onClick?: (event: MouseEvent) => void;
  kind?: 'plain' | 'main' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  disabled?: boolean;
  /** Says what a button without words does. */
  label?: string;
  title?: string;
  icon?: IconName;
  pressed?: boolean;
  expanded?: boolean;
  controls?: string;
  class?: string;
}

export function Button(props: ButtonProps) {
  const { children, kind = 'plain', type = 'button', icon, label, pressed, expanded, controls, ...rest } = props;
  const isBare = children === undefined;
  return (
    <button
      {...rest}
      type={type}
      class={`button ${kind}${isBare ? ' bare' : ''} ${props.class ?? ''}`}
      aria-label={label}
      title={props.title ?? label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-controls={controls}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function LinkButton({
  href,
  children,
  kind = 'plain',
  icon,
  label,
}: {
  href: string;
  children?: ComponentChildren;
  kind?: ButtonProps['kind'];
  icon?: IconName;
  label?: string;
}) {
  return (
    <a class={`button ${kind}${children === undefined ? ' bare' : ''}`} href={href} aria-label={label} title={label}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
