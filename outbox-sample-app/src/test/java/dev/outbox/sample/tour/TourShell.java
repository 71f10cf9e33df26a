package dev.outbox.sample.tour;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the commands of the tour in bash. Starts and kills the service itself, because Maven would compile it first. */
final class TourShell {

    /** Condition of tests that need the programs of the tour. */
    static final String INSTALLED = "dev.outbox.sample.tour.TourShell#isInstalled";

    static final String MISSING = "bash, curl or psql is not on the PATH";

    private static final Pattern ARGUMENTS = Pattern.compile("-Dspring-boot\\.run\\.arguments=\"(.*)\"");
    private static final Pattern CREATION =
            Pattern.compile("curl \\S+/(subscriptions|orders|users|members|snapshots) .*-d .*");

    private final TourService service;
    private String id = "";
    private String key = "";

    TourShell(TourService service) {
        this.service = service;
    }

    static boolean isInstalled() throws InterruptedException {
        try {
            return new ProcessBuilder("bash", "-c", "command -v curl && command -v psql")
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException ex) {
            return false;
        }
    }

    String run(TourStep step) throws IOException {
        String command = step.command();
        if (command.startsWith("mvn ")) {
            Matcher arguments = ARGUMENTS.matcher(command);
            return "...\n" + service.start(arguments.find() ? arguments.group(1) : "");
        }
        if (command.startsWith("pkill ")) {
            service.kill(Path.of(bash("psql $DB -Atc 'SHOW data_directory'").strip()));
            return "";
        }
        String answer = bash(command);
        if (CREATION.matcher(command).matches()) {
            id = JsonPath.read(answer, "$.id");
            key = answer.contains("billingKeyId") ? JsonPath.read(answer, "$.billingKeyId") : key;
        }
        return answer;
    }

    private String bash(String command) throws IOException {
        String quiet = "curl() { command curl --silent --noproxy localhost \"$@\"; }\n";
        ProcessBuilder shell = new ProcessBuilder(
                "bash", "-c", quiet + command.replace("localhost:8080/", "localhost:" + service.port() + "/"));
        shell.environment().putAll(Map.of("DB", service.database(), "ID", id, "KEY", key));
        Process process = shell.redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
