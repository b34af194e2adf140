/** A management API refusal on the wire. */
export type Refusal = {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 424 | 500 | 503
  /** The `code` of Microsoft Graph's error envelope. */
  readonly code: string
  readonly sentence: (...values: string[]) => string
  /** The error code of the challenge `WWW-Authenticate: Bearer`. `none` is a challenge without a code. */
  readonly challenge?: 'none' | 'invalid_request' | 'invalid_token' | 'insufficient_scope'
}

type Sentence<Values extends string[]> = string | ((...values: Values) => string)

/** Makes a row. Its sentence is a text, or a function of the values that `refuse` takes. */
export const refusal = <Values extends string[] = []>(
  status: Refusal['status'],
  code: string,
  sentence: Sentence<Values>,
  challenge?: Refusal['challenge'],
) => ({
  status,
  code,
  sentence: typeof sentence === 'string' ? (..._: Values) => sentence : sentence,
  ...(challenge && { challenge }),
})

/** Makes the rows of one status and code. */
export const refusalsOf =
  (status: Refusal['status'], code: string) =>
  <Values extends string[] = []>(sentence: Sentence<Values>, challenge?: Refusal['challenge']) =>
    refusal(status, code, sentence, challenge)

/** A row without a specific code. */
export const badRequest = refusalsOf(400, 'Request_BadRequest')
export const conflict = refusalsOf(409, 'Request_MultipleObjectsWithSameKeyValue')
