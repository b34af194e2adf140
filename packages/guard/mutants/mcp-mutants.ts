import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''

/** Ways to call a tool of an MCP server without its role. */
export const mcpMutants: readonly Mutant[] = [
  ...mutantsOf('adapters/json-rpc-requirements.ts', [
    ['checks no tool of a batch', ['messages.map(requirementOf)', '[anyCaller]']],
    ['takes a batch of any length', [' && messages.length <= maxMessages', nothing]],
    ['takes a batch of none', ['messages.length > 0 && ', nothing]],
    [
      'admits a tool without a row',
      ['params.name : undefined) ?? null', 'params.name : 0) ?? anyCaller'],
    ],
    ['admits a method without a row', ['get(method) ?? null', 'get(method) ?? anyCaller']],
    ['takes any object for a message', ["'result' in value || 'error' in value", 'true']],
  ]),
  ...mutantsOf('adapters/mcp.ts', [
    ['accepts a misspelt role at start', ['checkRequirement(guard, role)', 'void role']],
    ['puts a role into the scope', ['roleNames.includes(one) || ', nothing]],
    ['needs no scope', ['!scopes.length || ', nothing]],
    ['quotes any scope', [' || !quotable.test(one)', nothing]],
    ['names no scope in a challenge', [", scopes.join(' '))", ')']],
    ['names the missing role to each caller', ['!namesMissingRole || ', nothing]],
    [
      'continues without a token',
      [
        "if (caller.outcome === 'refused') return challenged(caller)",
        'if (false) return challenged(caller as never)',
      ],
    ],
    [
      'admits other methods',
      ["method !== 'POST' && method !== 'GET' && method !== 'DELETE'", 'false'],
    ],
    ['checks no role', ['if (missing !== undefined) return refuseRole(missing)', nothing]],
    ['reads without a limit', ['readAtMost(stream, maxBodyBytes)', 'readAtMost(stream, 1e12)']],
    ['leaves the rest of a body', ['if (bytes === undefined) discard()', 'void discard']],
    ['fails at a cut body', ['.catch(() => undefined)', nothing]],
    [
      'parses any number of members',
      ['parseStrictJson(bytes, maxMembers)', 'parseStrictJson(bytes)'],
    ],
    [
      'serves the session of another caller',
      ['session && !sessions.has(session, caller)', 'session && false'],
    ],
    [
      'takes the last of repeated members',
      [
        'bytes && parseStrictJson(bytes, maxMembers)',
        'bytes && new Response(bytes).json().catch(() => undefined)',
      ],
    ],
    [
      'lets the server parse again',
      ['{ authInfo, parsedBody }\n  }', '{ authInfo, parsedBody: undefined }\n  }'],
    ],
    ['hides no tool', ['tool.disable()', 'void tool']],
    ['shows every tool without a caller', ['caller === undefined || ', 'caller !== undefined && ']],
  ]),
]
