const keyPattern = /^([A-Za-z.]+)\((?:(appId)=)?'([^'()]*)'\)$/

/**
 * The path of a request as the table of operations writes it: a key in brackets becomes a segment,
 * so that `/applications(appId='...')/addPassword` is `/applications/appId=.../addPassword`.
 *
 * @throws {URIError} when a segment is not percent-encoded UTF-8.
 * @see OData 4.01 Part 2 §4.3.1
 */
export const operationPath = (pathname: string): string =>
  pathname
    .split('/')
    .map((segment) => {
      const [, set, name, key] = keyPattern.exec(decodeURIComponent(segment)) ?? []
      if (set === undefined || key === undefined) return segment
      return `${set}/${encodeURIComponent(name === undefined ? key : `${name}=${key}`)}`
    })
    .join('/')
