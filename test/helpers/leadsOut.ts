/** The names of variables that change what a program of the project does, or lead it to AWS or a real deployment. */
export const leadsOut =
  /^(AWS_|CDK_|PETSTORE_|NODE_USE_|CORS_ORIGINS$|LOG_LEVEL$|PORT$|RELEASE$)|_PROXY$/i;
