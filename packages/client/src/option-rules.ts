/** How one option is judged: whether it must be given, and what it must be. */
export type OptionRule = {
  readonly required?: true
  /** The end of the sentence "`name` must be ...". */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule }

const isFunction = (value: unknown) => typeof value === 'function'
const isObject = (value: unknown) => typeof value === 'object' && value !== null

export const nonEmptyString: OptionRule = {
  expected: 'a string that is not empty',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
}

export const aFunction: OptionRule = { expected: 'a function', accepts: isFunction }

export const anObject: OptionRule = { expected: 'an object', accepts: isObject }

export const objectWith = (...methods: readonly string[]): OptionRule => ({
  expected: `an object with ${methods.map((method) => `${method}()`).join(' and ')}`,
  accepts: (value) =>
    isObject(value) && methods.every((method) => isFunction(Reflect.get(Object(value), method))),
})

export const numberBetween = (least: number, most: number): OptionRule => ({
  expected: `a number from ${least} to ${most}`,
  accepts: (value) => typeof value === 'number' && value >= least && value <= most,
})

export const required = (rule: OptionRule): OptionRule => ({ ...rule, required: true })

/**
 * Judges options once, at construction: unknown names are refused, nothing is repaired, and all
 * faults are told together. Values are never quoted, because one of them may be a secret.
 *
 * @throws {TypeError} when there is at least one fault.
 */
export function judgeOptions<Options>(
  maker: string,
  given: Options,
  rules: OptionRules<Options>,
): void {
  if (!isObject(given)) throw new TypeError(`${maker}: the options must be an object`)
  const names = Object.keys(rules) as (keyof Options & string)[]
  const faults = [
    ...Object.keys(Object(given))
      .filter((name) => !Object.hasOwn(rules, name))
      .map((name) => `\`${name}\` is not an option (known: ${names.join(', ')})`),
    ...names.flatMap((name) => {
      const { required, expected, accepts } = rules[name]
      const value = given[name]
      if (value === undefined) return required ? [`\`${name}\` is required: ${expected}`] : []
      return accepts(value) ? [] : [`\`${name}\` must be ${expected}`]
    }),
  ]
  if (faults.length > 0) throw new TypeError(`${maker}: ${faults.join('; ')}`)
}
