import { NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListPage } from '../elements/list-page';
import { Empty } from '../elements/page-states';
import { WideTable } from '../elements/wide-table';
import { useMessages } from './activity.messages';
import { type ActivitySearch, readActivitySearch, STATES } from './activity-search';
import { JobRow } from './job-row';
import { useJobs } from './queries';

/** What runs, waits, was done and failed, newest first. */
export function ActivityPage() {
  const text = useMessages();
  const { status }: ActivitySearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useJobs(status);
  const jobs = found.items ?? [];
  return (
    <ListPage
      title={text.title}
      found={found}
      isEmpty={jobs.length === 0}
      empty={<Empty title={status ? text.nothingIn(text.states[status]) : text.empty} />}
      controls={
        <NativeSelect
          label={text.state}
          value={status ?? ''}
          data={[{ value: '', label: text.all }, ...STATES.map((value) => ({ value, label: text.states[value] }))]}
          onChange={(event) => void navigate({ to: '/activity', search: readActivitySearch({ status: event.currentTarget.value }) })}
        />
      }
    >
      <WideTable minWidth={640} label={text.title} columns={[text.kind, text.concerns, text.state, text.when, '']}>
        {jobs.map((job) => (
          <JobRow key={job.jobId ?? `${job.type} ${job.createdAt}`} job={job} />
        ))}
      </WideTable>
    </ListPage>
  );
}
