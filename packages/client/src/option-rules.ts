/** A rule that an option must meet. */
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

export const oneOf = (...values: readonly string[]): OptionRule => ({
  expected: values.map((value) => `'${value}'`).join(' or '),
  accepts: (value) => values.includes(value as string),
})

export const numberBetween = (min: number, max: number): OptionRule => ({
  expected: `a number from ${min} to ${max}`,
  accepts: (value) => typeof value === 'number' && value >= min && value <= max,
})

export const integerBetween = (min: number, max: number): OptionRule => ({
  expected: `a whole number from ${min} to ${max}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
})

export const required = (rule: OptionRule): OptionRule => ({ ...rule, required: true })

/**
 * Validates options once, at construction. Unknown names are faults, and no value is corrected. The
 * message contains no value, because a value may be a secret.
 *
 * @throws {TypeError} lists every fault
 */
export function validateOptions<Options>(
  caller: string,
  options: Options,
  rules: OptionRules<Options>,
): void {
  if (Promise.withResolvers === undefined)
    throw new TypeError(`@greeting/client needs Node 22 or newer, and this is ${process.version}`)
  if (!isObject(options)) throw new TypeError(`${caller}: the options must be an object`)
  const names = Object.keys(rules) as (keyof Options & string)[]
  const faults = [
    ...Object.keys(Object(options))
      .filter((name) => !Object.hasOwn(rules, name))
      .map((name) => `\`${name}\` is not an option (known: ${names.join(', ')})`),
    ...names.flatMap((name) => {
      const { required, expected, accepts } = rules[name]
      const value = options[name]
      if (value === undefined) return required ? [`\`${name}\` is required: ${expected}`] : []
      return accepts(value) ? [] : [`\`${name}\` must be ${expected}`]
    }),
  ]
  if (faults.length > 0) throw new TypeError(`${caller}: ${faults.join('; ')}`)
}
