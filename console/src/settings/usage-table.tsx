import { Progress, Skeleton, Stack, Table, Text } from '@mantine/core';
import { Failure } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { useFormats } from '../language';
import { useUsage } from './queries';
import { useMessages } from './settings.messages';

/** From this share on, a quota is shown as nearly used up. */
const NEARLY = 0.9;

/** What a customer has stored, and how much of each quota it uses; by default the own one. */
export function UsageTable({ customerId }: { customerId?: number }) {
  const text = useMessages();
  const { number, size } = useFormats();
  const { data, error, refetch } = useUsage(customerId);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} />;
  const quotas = Object.entries(data.quotas) as [keyof typeof data.quotas, { used: number; limit: number }][];
  return (
    <Stack>
      <Text>{text.stored(size(data.storage.bytes), number(data.storage.items))}</Text>
      <WideTable minWidth={300} label={text.usage}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.quota}</Table.Th>
            <Table.Th>{text.used}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {quotas.map(([quota, { used, limit }]) => {
            const write = quota === 'anonymousUploadBytesPerDay' ? size : number;
            const share = limit > 0 ? used / limit : 1;
            return (
              <Table.Tr key={quota}>
                <Table.Td>{text.quotas[quota]}</Table.Td>
                <Table.Td>
                  <Text size="sm">{text.usedOf(write(used), write(limit))}</Text>
                  <Progress value={Math.min(share, 1) * 100} color={share >= NEARLY ? 'red' : undefined} aria-label={text.quotas[quota]} />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </WideTable>
    </Stack>
  );
}
