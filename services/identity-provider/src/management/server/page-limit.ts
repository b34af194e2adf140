import { z } from 'zod'

const defaultLimit = 100
const maxLimit = 1000

/** The query parameter `limit` of a list: 1 to 1000, by default 100. */
export const pageLimit = z
  .string()
  .refine((limit) => /^[1-9]\d{0,3}$/.test(limit) && Number(limit) <= maxLimit, {
    error: `must be a number from 1 to ${maxLimit}`,
  })
  .transform(Number)
  .default(defaultLimit)
