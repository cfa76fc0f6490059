/** `npm run build:java`: builds the jars of the Java host. */
import { builtJavaHost } from '../services/java-host';

builtJavaHost().then(
  (folder) => console.log(folder),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
