package dev.outbox.testing.kafka;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import kafka.Kafka;
import kafka.tools.StorageTool;

/** Main class of a broker process: formats the log directory unless it is formatted, and ends when its parent dies. */
final class BrokerMain {

    private BrokerMain() {}

    /**
     * Runs a broker until the process ends.
     *
     * @param arguments the id of the cluster, and the file with the broker's properties
     */
    public static void main(String... arguments) {
        String cluster = arguments[0];
        String properties = arguments[1];
        int exit = StorageTool.execute(
                new String[] {"format", "-t", cluster, "-c", properties, "--ignore-formatted"}, System.out);
        if (exit != 0) {
            System.exit(exit);
        }
        Thread parent = new Thread(BrokerMain::awaitParentDeath, "parent");
        parent.setDaemon(true);
        parent.start();
        Kafka.main(new String[] {properties});
    }

    /** Class path of a broker process: that of this class, which is not the JVM's where a build tool loads it. */
    static String classPath() {
        if (BrokerMain.class.getClassLoader() instanceof URLClassLoader loader) {
            return Arrays.stream(loader.getURLs())
                    .map((url) -> Path.of(URI.create(url.toString())).toString())
                    .collect(Collectors.joining(File.pathSeparator));
        }
        return System.getProperty("java.class.path");
    }

    private static void awaitParentDeath() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is ever written to this process.
            }
        } catch (IOException e) {
            // The end of the pipe, too.
        }
        Runtime.getRuntime().halt(1);
    }
}
