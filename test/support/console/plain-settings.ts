/** Settings of a console that links to nothing outside and is embedded nowhere; its faces are the test's to choose. */
export const plainSettings = { base: '', apiDocsUrl: '', grafanaUrl: '', runbookUrl: '', frameOrigins: [] };
