type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }

/** The members of an object that have a value. */
export const omitUndefined = <Values extends object>(values: Values): Given<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Given<Values>
