/** A moment as a person reads it: without what is below a second. */
export const second = (dateTime: string): string => dateTime.replace(/\.\d+Z$/, 'Z')
