import { Anchor } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Leads from a page to the list to which it belongs. */
export function BackLink({ to, children }: { to: LinkProps['to'] & string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} w="fit-content">
      {children}
    </Anchor>
  );
}
