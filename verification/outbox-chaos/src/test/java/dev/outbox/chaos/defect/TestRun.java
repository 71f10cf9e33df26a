package dev.outbox.chaos.defect;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs test classes in a JVM of their own, in whose class path the defective core stands first. */
final class TestRun {

    static final int PASSED = 0;
    static final int FAILED = 10;
    static final int NOT_RUN = 11;

    private TestRun() {}

    public static void main(String... classNames) throws ClassNotFoundException {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        List<ClassSelector> classes =
                Stream.of(classNames).map(name -> selectClass(name)).toList();
        LauncherFactory.create().execute(request().selectors(classes).build(), summary);
        TestExecutionSummary result = summary.getSummary();
        result.printFailuresTo(new PrintWriter(System.out, true), 5);
        System.exit(exitCode(result));
    }

    private static int exitCode(TestExecutionSummary result) {
        if (result.getTotalFailureCount() > 0) {
            return FAILED;
        }
        return result.getTestsSucceededCount() > 0 ? PASSED : NOT_RUN;
    }
}
