/** All that PostgreSQL's programs get to see: the service's own environment holds secrets, and PG… variables would change what they do. */
export const PROGRAM_ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
