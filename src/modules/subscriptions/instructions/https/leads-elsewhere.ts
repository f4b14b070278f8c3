const DOTS = /^(?:\.|%2e){1,2}$/i;

/**
 * Whether values in the path of a URL became segments of dots, which lead out of the path that somebody wrote, and which nothing can encode.
 * What people write themselves may have such segments.
 */
export const leadsElsewhere = (template: string, filled: string): boolean => dotSegmentsOf(filled) > dotSegmentsOf(template);

const dotSegmentsOf = (url: string): number =>
  (url.split(/[?#]/, 1)[0] ?? '').split(/[/\\]/).filter((segment) => DOTS.test(segment)).length;
