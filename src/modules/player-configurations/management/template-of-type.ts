export const TEMPLATE_MESSAGE = 'templateId must be 1 or more for video and audio';

/** Players need a template; images and documents may be plain (0). */
export const isTemplateOfType = (templateId: unknown, type: unknown): boolean => templateId !== 0 || (type !== 'video' && type !== 'audio');
