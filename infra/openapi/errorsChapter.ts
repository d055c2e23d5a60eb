import { errorStatuses } from '../../lib/errors.ts';
import { errorTexts } from './responses.ts';

const introduction = `Every response of 400 or above has the body \`{"code": …, "message": …, "status": …}\`. \`code\` is for programs, from the closed list below. \`message\` is for people: it names every invalid field and what is valid, and never repeats input.`;

/**
 * Returns the chapter of the errors as Markdown.
 *
 * A link to an error needs only its code: the anchor of `not_found` is `not-found`.
 */
export function errorsChapter(): string {
  const sections = Object.entries(errorTexts).map(([code, { description, remedy, message }]) => {
    const status = errorStatuses[code as keyof typeof errorStatuses];
    const heading = code[0]?.toUpperCase() + code.slice(1).replaceAll('_', ' ');
    return `## ${heading}

**\`${code}\`, status ${status}.** ${description}

**What to do:** ${remedy}

**Message:** \`${message}\`
`;
  });
  return `# Errors\n\n${introduction}\n\n${sections.join('\n')}`;
}
