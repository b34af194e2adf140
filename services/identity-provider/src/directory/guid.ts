const guidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The GUID that no object has; as an app role id it means "assigned without a role". */
export const emptyGuid = '00000000-0000-0000-0000-000000000000'

/** Whether a text is a GUID, in either case. */
export const isGuid = (text: string): boolean => guidPattern.test(text)
