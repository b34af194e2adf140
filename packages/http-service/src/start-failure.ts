/** The settings that sentences about a failed start name. */
export type StartSettings = { readonly HOST: string; readonly DATA_DIR?: string }

/** An error of the system: Node adds the path of a file, or the address and port of a listener. */
type SystemError = NodeJS.ErrnoException & { readonly port?: number; readonly address?: string }

type Sentence = (settings: StartSettings, error: SystemError) => string

const noAccess: Sentence = (_, { path }) => `this user may not use ${path}`

const sentences: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: ({ HOST }, { port, address = HOST }) =>
    `port ${port} at ${address} is taken by another program`,
  EACCES: (settings, error) =>
    error.path === undefined
      ? `this user may not listen on port ${error.port} at ${error.address ?? settings.HOST}`
      : noAccess(settings, error),
  EPERM: noAccess,
  EADDRNOTAVAIL: ({ HOST }, { address = HOST }) => `${address} is not an address of this machine`,
  ENOTFOUND: ({ HOST }) => `no address is known for the host ${HOST}`,
  ENOENT: (_, { path, syscall }) =>
    syscall === 'mkdir' ? `${path} cannot be created there` : `${path} does not exist`,
  EEXIST: (_, { path }) => `${path} is a file`,
  ENOTDIR: (_, { path }) => `a part of ${path} is not a folder`,
  EISDIR: (_, { path }) => `${path} is a folder`,
  EROFS: (_, { path }) => `${path} is on a read-only disk`,
  // The error of a write has no path.
  ENOSPC: ({ DATA_DIR = '' }, { path = DATA_DIR }) => `the disk of ${path} is full`,
}

/** Explains in one sentence, without its full stop, why a service cannot start. */
export function explainStartFailure(error: SystemError, settings: StartSettings): string {
  const { code = '', message } = error
  return sentences[code]?.(settings, error) ?? message.replace(/\.$/, '')
}
