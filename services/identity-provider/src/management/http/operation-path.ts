import type { Operation } from './operation.ts'

const keyPattern = /^([A-Za-z.]+)\((?:(appId)=)?'([^'()]*)'\)$/

/**
 * The path of a request in the form of the operation table. A key in parentheses becomes a segment:
 * `/applications(appId='...')/addPassword` is `/applications/appId=.../addPassword`.
 *
 * @throws {URIError} when a segment is not percent-encoded UTF-8.
 * @see OData 4.01 Part 2 section 4.3.1
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

/** The path of a request, unchanged when it is not valid. */
export function pathOf(request: Request): string {
  const { pathname } = new URL(request.url)
  try {
    return operationPath(pathname)
  } catch {
    return pathname
  }
}

/** The template of an operation as a route of Hono: `{id}` becomes `:id`. */
export const routeOf = (template: string): string => template.replaceAll(/\{(\w+)\}/g, ':$1')

/** The methods of the operations at a path. */
export const methodsAt = (operations: readonly Operation[], path: string): string[] =>
  operations
    .filter(({ path: template }) =>
      new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
    .map(({ method }) => method)
