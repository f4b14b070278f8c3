import { AppShell, Avatar, Burger, Button, Group, Menu, NavLink, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useIsOperator } from '../customers/queries';
import {
  ActivityIcon,
  CustomersIcon,
  DropsitesIcon,
  FormatsIcon,
  LibraryIcon,
  PlayerConfigurationsIcon,
  SettingsIcon,
  SharesIcon,
  StatisticsIcon,
  SubscriptionsIcon,
  TeamIcon,
  UploadIcon,
} from '../elements/icons';
import { signOut } from '../session';
import { UploadDrawer } from '../upload/upload-drawer';
import { UploadsProvider, useUploads } from '../upload/uploads';
import { ADMINISTRATOR } from './levels';
import { useMe } from './me';
import { useMessages } from './shell.messages';

/** The frame of every page: navigation, the person, and the uploads, which go on while pages change. */
export function Shell() {
  return (
    <UploadsProvider>
      <Frame />
    </UploadsProvider>
  );
}

function Frame() {
  const text = useMessages();
  const { adminLevel } = useMe();
  const isOperator = useIsOperator();
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation of a phone closes when the page changes
  useEffect(close, [path]);
  const pages = [
    { to: '/', label: text.library, icon: <LibraryIcon />, isActive: path === '/' || path.startsWith('/media/') },
    { to: '/formats', label: text.formats, icon: <FormatsIcon />, isActive: path.startsWith('/formats') },
    {
      to: '/player-configurations',
      label: text.playerConfigurations,
      icon: <PlayerConfigurationsIcon />,
      isActive: path.startsWith('/player-configurations'),
    },
    { to: '/shares', label: text.shares, icon: <SharesIcon />, isActive: path === '/shares' },
    { to: '/dropsites', label: text.dropsites, icon: <DropsitesIcon />, isActive: path.startsWith('/dropsites') },
    { to: '/subscriptions', label: text.subscriptions, icon: <SubscriptionsIcon />, isActive: path.startsWith('/subscriptions') },
    { to: '/activity', label: text.activity, icon: <ActivityIcon />, isActive: path === '/activity' },
    { to: '/statistics', label: text.statistics, icon: <StatisticsIcon />, isActive: path === '/statistics' },
    ...(adminLevel >= ADMINISTRATOR
      ? ([{ to: '/team', label: text.team, icon: <TeamIcon />, isActive: path.startsWith('/team') }] as const)
      : []),
    ...(isOperator
      ? ([{ to: '/customers', label: text.customers, icon: <CustomersIcon />, isActive: path.startsWith('/customers') }] as const)
      : []),
    { to: '/settings', label: text.settings, icon: <SettingsIcon />, isActive: path === '/settings' },
  ] as const;
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }} padding="md">
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={text.navigation} aria-expanded={isOpen} />
          <Text fw={600} truncate>
            <CustomerName />
          </Text>
          <Group ml="auto" gap="sm" wrap="nowrap">
            <UploadButton />
            <Person />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={text.navigation}>
        {pages.map(({ to, label, icon, isActive }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={label}
            leftSection={icon}
            active={isActive}
            aria-current={isActive ? 'page' : undefined}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
      <UploadDrawer />
    </AppShell>
  );
}

function CustomerName() {
  const { customer } = useMe();
  return <>{customer?.name ?? 'Console'}</>;
}

function UploadButton() {
  const text = useMessages();
  const { open, summary } = useUploads();
  return (
    <Button leftSection={<UploadIcon size={18} />} onClick={open} aria-haspopup="dialog">
      {summary ? text.uploading(summary.percent) : text.upload}
    </Button>
  );
}

function Person() {
  const text = useMessages();
  const { person } = useMe();
  const name = person?.name ?? person?.email ?? '';
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <UnstyledButton>
          <Avatar name={name} variant="filled" color="indigo" radius="xl" size="md" alt="" />
          <VisuallyHidden>{text.personMenu(name)}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="foreign">{name}</Menu.Label>
        <Menu.Item component="a" href="/account">
          {text.account}
        </Menu.Item>
        <Menu.Item component="a" href="/docs">
          {text.documents}
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>{text.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
