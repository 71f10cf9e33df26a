package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** Failure analyses of applications that do not start, and the files in {@code failures} with their complete texts. */
final class FailureReports {

    private static final Path FILES = SourceTree.ROOT.resolve("outbox-spring-boot-starter/src/test/resources/failures");

    private FailureReports() {}

    /** Starts an application, which must fail, and returns the analysis that Spring Boot would print. */
    static FailureAnalysis analyze(ApplicationContextRunner application) {
        AtomicReference<ConfigurableApplicationContext> failed = new AtomicReference<>();
        AtomicReference<FailureAnalysis> found = new AtomicReference<>();
        application.withInitializer(failed::set).run((context) -> {
            Throwable failure = Objects.requireNonNull(context.getStartupFailure());
            ArgumentResolver arguments = ArgumentResolver.of(
                            Environment.class, failed.get().getEnvironment())
                    .and(BeanFactory.class, failed.get().getBeanFactory());
            SpringFactoriesLoader.forDefaultResourceLocation()
                    .load(FailureAnalyzer.class, arguments, FailureHandler.handleMessage((message, ex) -> {}))
                    .stream()
                    .map((analyzer) -> analyzer.analyze(failure))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .ifPresentOrElse(found::set, () -> {
                        throw new AssertionError("no analyzer explains the failure", failure);
                    });
        });
        return found.get();
    }

    /** Compares the complete analysis with a file. To rewrite the files, set {@code -Dfailures.update=true}. */
    static void assertReport(String file, FailureAnalysis analysis, String... replacements) {
        String report = "Description:\n\n" + analysis.getDescription() + "\n"
                + (analysis.getAction() == null ? "" : "\nAction:\n\n" + analysis.getAction() + "\n");
        for (int i = 0; i < replacements.length; i += 2) {
            report = report.replace(replacements[i], replacements[i + 1]);
        }
        Path path = FILES.resolve(file + ".txt");
        if (Boolean.getBoolean("failures.update")) {
            write(path, report);
        }
        assertThat(report).isEqualTo(SourceTree.read(path));
    }

    private static void write(Path path, String report) {
        try {
            Files.createDirectories(FILES);
            Files.writeString(path, report);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
