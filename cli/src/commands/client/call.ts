import { type Command, InvalidArgumentError } from 'commander'
import type { Connection, Outcome, TakeJob } from '../../client/connection.ts'

type Options = {
  readonly data?: string
  readonly header: readonly (readonly [string, string])[]
  readonly role?: string
}

type Request = Options & { readonly method: string; readonly path: string }

// `fetch` refuses them.
const unsent = ['CONNECT', 'TRACE', 'TRACK']

function method(text: string): string {
  const name = text.toUpperCase()
  const { METHODS } = process.getBuiltinModule('node:http')
  if (METHODS.includes(name) && !unsent.includes(name)) return name
  throw new InvalidArgumentError('The method must be one of HTTP, such as GET or POST')
}

function path(text: string): string {
  if (!text.startsWith('/')) throw new InvalidArgumentError('The path must start with a slash')
  return text
}

function header(text: string, before: Options['header']): Options['header'] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*((?:\S.*)?)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('The header must have the form "name: value"')
  if (name.toLowerCase() === 'authorization')
    throw new InvalidArgumentError('The command sets this header itself')
  return [...before, [name, value]]
}

async function perform(
  request: Request,
  { api }: Connection,
  signal?: AbortSignal,
): Promise<Outcome> {
  const { method, path, data, header, role } = request
  const { status, headers, body } = await api.request(method, path, {
    headers: header.map(([name, value]): [string, string] => [name, value]),
    ...(data !== undefined && { body: data }),
    ...(role && { role }),
    ...(signal && { signal }),
  })
  return {
    text: body.endsWith('\n') || body === '' ? body : `${body}\n`,
    json: { status, headers: Object.fromEntries(headers), body },
  }
}

/** `greeting call`: sends any request to the API, with a token. */
export function addCallCommand(program: Command, take: TakeJob): Command {
  return program
    .command('call')
    .description('send a request to the API with a token, and print the response')
    .argument('<method>', 'method, such as GET', method)
    .argument('<path>', 'path and query, such as /api/v1/hi', path)
    .option('--data <text>', 'body of the request')
    .option('--header <name: value>', 'header of the request; may be repeated', header, [])
    .option(
      '--role <role>',
      'app role that the endpoint requires, for the message about a missing role',
    )
    .action((method: string, path: string, options: Options) =>
      take(
        {
          title: `call ${method} ${path.split('?')[0]}`,
          perform: (connection, signal) =>
            perform({ ...options, method, path }, connection, signal),
        },
        options,
      ),
    )
}
