/** What the framework puts where a call was rejected and no words were given for it. */
export const NOT_APPROVED = "Tool execution was not approved.";

/** What begins the words that its own tools, and so agents as tools, make of an error. */
export const WENT_WRONG = "An error occurred while running the tool.";
