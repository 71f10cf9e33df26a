package dev.outbox.chaos.check;

import dev.outbox.chaos.history.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Checks a run from the command line and prints the report. Arguments: the directory of the facts, the JDBC URL of the database, and
 * optionally the lease and the deadline of the backlog as ISO durations, the number of attempts, and the error codes that are not
 * retried, with commas. Exits with 1 if a rule is broken.
 */
public final class CheckMain {

    private CheckMain() {}

    /** Checks a run. */
    public static void main(String... arguments) {
        if (arguments.length < 2) {
            System.err.println("usage: CheckMain <directory> <jdbc url> [<lease> [<deadline> [<attempts> [<codes>]]]]");
            System.exit(2);
        }
        Report report = check(arguments);
        System.out.println(report);
        System.exit(report.isClean() ? 0 : 1);
    }

    static Report check(String... arguments) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(arguments[1]);
        return new Checker(settings(arguments)).check(History.read(Path.of(arguments[0]), dataSource));
    }

    private static CheckSettings settings(String... arguments) {
        CheckSettings settings = CheckSettings.defaults();
        if (arguments.length > 2) {
            settings = settings.withLease(Duration.parse(arguments[2]));
        }
        if (arguments.length > 3) {
            settings = settings.withBacklogDeadline(Duration.parse(arguments[3]));
        }
        if (arguments.length > 4) {
            settings = settings.withMaxAttempts(Integer.parseInt(arguments[4]));
        }
        return arguments.length > 5 ? settings.withNonRetryable(Set.of(arguments[5].split(","))) : settings;
    }
}
