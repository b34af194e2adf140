import { fieldsOfProxies, type ProxyName } from './original-request.ts'
import type { CallerHeaders } from './rules-file.ts'

/**
 * Headers with which some frameworks replace the method or the path of a request. The API would then do
 * something else than the decision was about. The proxy files of the guide remove each of them.
 */
export const overrideHeaders = [
  'X-HTTP-Method-Override',
  'X-Method-Override',
  'X-HTTP-Method',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Original-URI',
  'X-Forwarded-Prefix',
] as const

/**
 * A name as an API may read it: CGI writes a hyphen as an underscore, and PHP also a dot. So `X.Caller_Roles`
 * can replace `X-Caller-Roles`.
 */
const readName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')

const overrides: ReadonlySet<string> = new Set(overrideHeaders.map(readName))

/** Why the headers of a client are refused; undefined when nothing is wrong with them. */
export function clientHeaderFault(
  proxy: ProxyName,
  rawHeaders: readonly string[],
  callerNames: CallerHeaders,
): 'caller_header_disguised' | 'override_header' | undefined {
  const asked: readonly string[] = fieldsOfProxies[proxy]
  const callers = Object.values(callerNames).map((name) => name.toLowerCase())
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    const read = readName(name)
    // The proxy overwrites the headers of the caller by their exact names.
    if (callers.some((one) => one !== name && readName(one) === read))
      return 'caller_header_disguised'
    if (overrides.has(read) && !asked.includes(name)) return 'override_header'
  }
  return undefined
}
