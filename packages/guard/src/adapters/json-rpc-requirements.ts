import { isJsonObject } from '../encoding/strict-json.ts'
import { anyCaller, type RequiredRole } from '../guard.ts'

const maxMessages = 100

/** Each valid token may send them. They run no tool and read no resource. */
const openMethods = ['initialize', 'ping', 'server/discover', 'tools/list']

/** A role, any caller, or null for a message that no caller may send. */
export type Requirement<Role extends string> = RequiredRole<Role> | null

/**
 * Creates a function that returns the requirement of each message in a parsed body. It returns
 * undefined if the body is neither one message nor a batch of 1 to 100.
 */
export const jsonRpcRequirements = <Role extends string>(
  tools: Readonly<Record<string, RequiredRole<Role>>>,
  methods: Readonly<Record<string, RequiredRole<Role>>>,
) => {
  const roleOfTool = new Map<unknown, RequiredRole<Role>>(Object.entries(tools))
  const roleOfMethod = new Map<string, RequiredRole<Role>>(Object.entries(methods))
  const requirementOf = ({ method, params }: Message): Requirement<Role> => {
    if (method === 'tools/call') {
      return roleOfTool.get(isJsonObject(params) ? params.name : undefined) ?? null
    }
    const isResponse = method === undefined
    if (isResponse || openMethods.includes(method) || method.startsWith('notifications/')) {
      return anyCaller
    }
    return roleOfMethod.get(method) ?? null
  }
  return (body: unknown): readonly Requirement<Role>[] | undefined => {
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
    const isBounded = messages.length > 0 && messages.length <= maxMessages
    return isBounded && messages.every(isMessage) ? messages.map(requirementOf) : undefined
  }
}

type Message = { readonly method?: string; readonly params?: unknown }

function isMessage(value: unknown): value is Message {
  if (!isJsonObject(value)) return false
  return 'method' in value
    ? typeof value.method === 'string'
    : 'result' in value || 'error' in value
}
