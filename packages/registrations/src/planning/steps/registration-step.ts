/** The six registration steps, in the order of their dependencies. */
export const registrationSteps = [
  'API registration',
  'Application roles',
  'Client registration',
  'Permissions',
  'Admin consent',
  'Client secret',
] as const

/** One of the six registration steps. */
export type RegistrationStep = (typeof registrationSteps)[number]
