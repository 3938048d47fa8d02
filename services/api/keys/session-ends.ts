/** A session ends when it has not been used for so long. */
export const idleSeconds = 2 * 3_600;
/** A code is redeemed by a program or a person who has just been given it. */
export const codeSeconds = 60;
