import type { ClientErrorCode } from '@greeting/client'

/** The exit codes of the command. Help and reference page print this list. */
export const exitCodes = {
  done: { code: 0, short: 'ok', meaning: 'done' },
  failed: {
    code: 1,
    short: 'failed',
    meaning: 'the system could not start, or an unexpected error occurred',
  },
  bad_usage: {
    code: 2,
    short: 'bad settings',
    meaning: 'invalid usage, or missing or invalid settings',
  },
  not_authenticated: {
    code: 3,
    short: 'not authenticated',
    meaning: 'not authenticated: the client or its token was refused',
  },
  not_allowed: {
    code: 4,
    short: 'not allowed',
    meaning:
      'not allowed: an app role is missing; registrations explain: a registration step is missing',
  },
  unreachable: {
    code: 5,
    short: 'unreachable',
    meaning: 'the identity provider or the API could not be reached',
  },
  changes_pending: {
    code: 6,
    short: 'changes pending',
    meaning: 'registrations plan --detailed-exit-code: there are changes to apply',
  },
  interrupted: {
    code: 130,
    short: 'interrupted',
    meaning: 'stopped by Ctrl-C before the end',
  },
} as const

export type ExitName = keyof typeof exitCodes

export const exitByFailure: Readonly<Record<ClientErrorCode, ExitName>> = {
  credential_unreadable: 'bad_usage',
  credential_refused: 'not_authenticated',
  token_refused: 'not_authenticated',
  token_rejected: 'not_authenticated',
  role_missing: 'not_allowed',
  authority_unreachable: 'unreachable',
  api_unreachable: 'unreachable',
  authority_answer_invalid: 'failed',
  api_answer_invalid: 'failed',
  request_refused: 'failed',
}

/** A failure of the command, with one sentence for the person at the terminal. */
export class CommandFailure extends Error {
  readonly exit: ExitName
  /** The action that fixes it. */
  readonly remedy: string | undefined

  constructor(exit: ExitName, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'CommandFailure'
    this.exit = exit
    this.remedy = options.remedy
  }
}

/** Ends the command with an exit code and without another message. */
export class SilentExit extends Error {
  readonly exit: ExitName

  constructor(exit: ExitName) {
    super(`the command ends with ${exit}`)
    this.name = 'QuietExit'
    this.exit = exit
  }
}
