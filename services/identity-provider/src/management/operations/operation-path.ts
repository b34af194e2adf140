import type { Hono } from 'hono'
import type { Operation } from './operation.ts'

const keyPattern = /^([A-Za-z.]+)\((?:(appId|uniqueName|name|tenantId|domainName)=)?'([^'()]*)'\)$/i

/** The names of alternate keys, by their form in lower case. */
const keyNames = new Map([
  ['appid', 'appId'],
  ['uniquename', 'uniqueName'],
  ['name', 'name'],
  ['tenantid', 'tenantId'],
  ['domainname', 'domainName'],
])

/** A call of a function without parameters, as Microsoft's SDKs write it. */
const functionPattern = /^(?:(?:microsoft\.)?graph\.)?([a-z]+)\(\)$/i

/** The namespace before the name of an action or function (entra E235). */
const boundNamespace =
  /^(?:microsoft\.)?graph\.(?=(?:(?:add|remove)(?:Key|Password)|delta|getAvailableExtensionProperties|getByIds|instantiate|restore)$)/i

/**
 * The path of a request in the format of the operation table. A key in parentheses becomes a
 * segment: `/applications(appId='...')/addPassword` is `/applications/appId=.../addPassword`.
 * `delta()` is `delta`, and `microsoft.graph.addPassword` is `addPassword`.
 *
 * @throws {URIError} when a segment is not percent-encoded UTF-8.
 * @see OData 4.01 Part 2 section 4.3.1
 */
export const operationPath = (pathname: string): string =>
  pathname
    .split('/')
    .map((segment, at, all) => {
      const text = decodeURIComponent(segment)
      const [, set, name, key] = keyPattern.exec(text) ?? []
      if (set === undefined || key === undefined) {
        const isName = named.test(all[at - 1] ?? '')
        return (
          functionPattern.exec(text)?.[1] ??
          (isName ? segment : segment.replace(boundNamespace, ''))
        )
      }
      const keyName = keyNames.get(name?.toLowerCase() ?? '')
      return `${set}/${encodeURIComponent(keyName === undefined ? key : `${keyName}=${key}`)}`
    })
    .join('/')

const tenantPattern = /^\/(myorganization|[0-9a-f-]{36})(?=\/)/i

/** The tenant that a path names before the operation, as older Microsoft Graph clients do; undefined if there is none. */
export const tenantInPath = (pathname: string): string | undefined =>
  tenantPattern.exec(pathname)?.[1]?.toLowerCase()

/** Removes the tenant before the operation from a path. */
export const withoutTenant = (pathname: string): string => pathname.replace(tenantPattern, '')

/** Removes one empty segment at the end of a path (entra E271). */
export const withoutFinalSlash = (pathname: string): string => pathname.replace(/(?<=.)\/$/, '')

/** The suffixes that the path of an operation may have. */
export const endsOf = ({ ends = [] }: Operation): readonly string[] => ['', ...ends]

/** Converts the path of an operation to a Hono route: `{id}` becomes `:id`, which matches only the listed names. */
export const routeOf = ({ path, properties = [] }: Operation, end: string): string =>
  `${path}${end}`.replaceAll(/\{(\w+)\}/g, (_, name) =>
    name === 'property' ? `:property{(?:${properties.join('|')})}` : `:${name}`,
  )

type Template = {
  readonly operation: Operation
  readonly segments: readonly string[]
  /** The segments in lower case, because each request compares them; undefined for a placeholder. */
  readonly fixed: readonly (string | undefined)[]
}

/** A cast to a type: OData 4.01 Part 2 section 4.11. It is no key of an object. */
const typeCast = /^(?:microsoft\.)?graph\.\w+$/i

const isPlaceholder = (segment: string) => segment.startsWith('{')

/** The cast of a set after the key: `/set/cast/key` is `/set/key/cast`. */
function withCastLast(segments: readonly string[]): readonly string[] {
  const [root = '', set = '', cast = '', key = '', ...rest] = segments
  return key !== '' && typeCast.test(cast) ? [root, set, key, cast, ...rest] : segments
}

/** The paths of an operation table. Fixed segments may have any case, but keys may not. */
export class OperationPaths {
  readonly #templates: readonly Template[]
  readonly #byLength: ReadonlyMap<number, readonly Template[]>
  readonly #mountPath: string
  readonly #maxSegments: number

  constructor(operations: readonly Operation[], mountPath = '') {
    this.#mountPath = mountPath
    this.#templates = operations.flatMap((operation) =>
      (operation.properties ?? ['']).flatMap((property) =>
        endsOf(operation).map((end) => {
          const segments = `${operation.path.replace('{property}', property)}${end}`.split('/')
          const fixed = segments.map((one) => (isPlaceholder(one) ? undefined : one.toLowerCase()))
          return { operation, segments, fixed }
        }),
      ),
    )
    this.#byLength = Map.groupBy(this.#templates, ({ segments }) => segments.length)
    this.#maxSegments = Math.max(0, ...this.#templates.map(({ segments }) => segments.length))
  }

  /**
   * The path of a request, with the case of the table; unchanged when it is not valid. A path that is
   * longer than all of the table ends after one more segment, because the router examines each.
   */
  pathOf(request: Request): string {
    const inApp = withoutFinalSlash(pathInApp(new URL(request.url).pathname, this.#mountPath))
    const pathname = withoutTenant(inApp)
      .split('/', this.#maxSegments + 1)
      .join('/')
    try {
      const given = operationPath(pathname).replaceAll('%24', '$$').split('/')
      const segments = this.#at(given).length > 0 ? given : withCastLast(given)
      const [template] = this.#at(segments)
      // The router would take the cast for a key. It has no path with a slash at the end.
      const isUnknownCast = template === undefined && segments.some((one) => typeCast.test(one))
      if (isUnknownCast) return `${segments.join('/')}/`
      return segments
        .map((segment, at) => {
          const fixed = template?.segments[at] ?? segment
          return isPlaceholder(fixed) ? segment : fixed
        })
        .join('/')
    } catch {
      return pathname
    }
  }

  methodsAt(path: string): string[] {
    return this.#at(path.split('/')).map(({ operation }) => operation.method)
  }

  /** The first segment of a path that no operation has there, without the slashes. */
  unknownSegment(path: string): string {
    const segments = path.split('/')
    const compared = segments.map(comparable)
    const known = segments.findIndex(
      (_, at) => !this.#templates.some((one) => matches(one, compared.slice(0, at + 1))),
    )
    return segments[known === -1 ? segments.length - 1 : known] ?? ''
  }

  #at(segments: readonly string[]): Template[] {
    const compared = segments.map(comparable)
    return (this.#byLength.get(segments.length) ?? []).filter((one) => matches(one, compared))
  }
}

/** A set without types: the names of its objects may look like casts. */
const named = /^federatedIdentityCredentials$/i

/** A segment in the form that is compared, and whether it can be a key. */
const comparable = (segment: string, at: number, all: readonly string[]) => ({
  text: segment.toLowerCase().replace(/^graph\./, 'microsoft.graph.'),
  isKey: segment !== '' && (!typeCast.test(segment) || named.test(all[at - 1] ?? '')),
})

/** Whether a path is the beginning of a template. */
const matches = ({ fixed }: Template, segments: readonly ReturnType<typeof comparable>[]) =>
  segments.length <= fixed.length &&
  segments.every(({ text, isKey }, at) => (fixed[at] === undefined ? isKey : text === fixed[at]))

/**
 * Mounts an app of operations, which removes the path itself, because Hono would copy each request
 * by default. The copy took a tenth of the CPU time of a small change.
 */
export const mountOperations = (app: Hono, path: string, operations: Hono): Hono =>
  app.mount(path, operations.fetch, {
    replaceRequest: (request) => request,
    optionHandler: ({ env }) => env,
  })

/** Removes the path at which an app is mounted. */
export function pathInApp(pathname: string, mountPath: string): string {
  const isMounted = pathname === mountPath || pathname.startsWith(`${mountPath}/`)
  return isMounted ? pathname.slice(mountPath.length) || '/' : pathname
}
