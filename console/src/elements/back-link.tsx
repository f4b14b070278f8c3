import { type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TextLink } from './links';

/** Leads from a page to the list to which it belongs. */
export function BackLink({ to, children }: { to: LinkProps['to'] & string; children: ReactNode }) {
  return (
    <TextLink to={to} w="fit-content">
      {children}
    </TextLink>
  );
}
