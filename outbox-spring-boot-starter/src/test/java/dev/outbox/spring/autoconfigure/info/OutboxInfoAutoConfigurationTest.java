package dev.outbox.spring.autoconfigure.info;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.testing.SourceTree;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

class OutboxInfoAutoConfigurationTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void namesVersionSchemasStreamsAndHandlers() {
        Applications.on(database)
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("mail", Set.of("OrderPlaced", "OrderPaid"), (envelope) -> {}))
                .withPropertyValues(
                        "outbox.schema=shop", "outbox.streams.mail.batch-size=1", "outbox.poller.streams=mail")
                .run((context) -> assertThat(outbox(context))
                        .containsEntry(
                                "version",
                                SourceTree.read(SourceTree.ROOT.resolve("pom.xml"))
                                        .replaceFirst(
                                                "(?s).*?<artifactId>outbox-parent</artifactId>\\s*<version>(.*?)<.*",
                                                "$1"))
                        .containsEntry("schema", "shop")
                        .containsEntry("archiveSchema", "audit")
                        .containsEntry("pollerEnabled", true)
                        .containsEntry("polledStreams", Set.of("mail"))
                        .containsEntry("handlers", Map.of("mail", new TreeSet<>(List.of("OrderPaid", "OrderPlaced")))));
    }

    @Test
    void disabledPollerPollsNoStream() {
        Applications.on(database)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> assertThat(outbox(context))
                        .containsEntry("pollerEnabled", false)
                        .containsEntry("polledStreams", Set.of())
                        .containsEntry("handlers", Map.of()));
    }

    @Test
    void contributorCanBeDisabledOrReplaced() {
        Applications.on(database)
                .withPropertyValues("management.info.outbox.enabled=false")
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(InfoContributor.class));
        InfoContributor own = (builder) -> {};
        Applications.on(database)
                .withBean("outboxInfoContributor", InfoContributor.class, () -> own)
                .run((context) ->
                        assertThat(context.getBean(InfoContributor.class)).isSameAs(own));
    }

    @Test
    void disabledOutboxHasNoInfo() {
        Applications.on(database)
                .withPropertyValues("outbox.enabled=false")
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(InfoContributor.class));
    }

    @Test
    void outboxWorksWithoutActuator() {
        new ApplicationContextRunner()
                .withUserConfiguration(Imported.class)
                .withBean(DataSource.class, database::dataSource)
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run((context) -> assertThat(context)
                        .hasSingleBean(OutboxPublisher.class)
                        .doesNotHaveBean("outboxInfoContributor"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> outbox(ApplicationContext context) {
        Info.Builder builder = new Info.Builder();
        context.getBean("outboxInfoContributor", InfoContributor.class).contribute(builder);
        return (Map<String, Object>) builder.build().getDetails().get("outbox");
    }

    /** Imports by name, as Spring Boot does: a class that is loaded already would remember its annotations. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({OutboxAutoConfiguration.class, OutboxInfoAutoConfiguration.class})
    static class Imported {}
}
