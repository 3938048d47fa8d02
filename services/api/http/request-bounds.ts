/** Levels of lists and objects in a body. No request needs as many; code that walks a body recursively would overflow on a megabyte of brackets. */
export const maxLevels = 100;

/** The largest page of a list. */
export const maxPageItems = 1_000;
