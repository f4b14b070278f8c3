import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type Attributes<Props> = Props & Omit<ComponentProps<'a'>, keyof Props>;

/** Leads to a page, in a text or a list. As of all links here, its address, parameters and search are those of the routes in router.tsx. */
export const TextLink = createLink((props: Attributes<AnchorProps>) => <Anchor {...props} />);

/** Leads to a page, and looks like a button. */
export const ButtonLink = createLink((props: Attributes<ButtonProps>) => <Button component="a" {...props} />);
