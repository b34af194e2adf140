const guidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The GUID that no object has. As an app role ID, it means access without a role. */
export const emptyGuid = '00000000-0000-0000-0000-000000000000'

/** True if a text is a GUID, in either case. */
export const isGuid = (text: string): boolean => guidPattern.test(text)
