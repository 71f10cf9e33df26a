package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.core.JdbcTemplate;

class OutboxMigrationInitializerTest {

    private static final Instant NOON = Instant.parse("2026-05-04T12:00:00Z");

    @AutoClose
    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @Test
    void flywayOfTheApplicationRunsFirstAndGoesItsOwnWay() {
        Applications.withSubscriptionsOn(database)
                .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .run((context) -> {
                    assertThat(dependencies(context, "outboxMigrationInitializer"))
                            .contains("flywayInitializer");
                    assertThat(dependencies(context, "jdbcTemplate"))
                            .contains("flywayInitializer", "outboxMigrationInitializer");
                    assertThat(dependencies(context, "outboxRuntime")).contains("outboxMigrationInitializer");
                    assertThat(count(context, "subscription")).isZero();
                    assertThat(count(context, "public.flyway_schema_history")).isOne();
                    assertThat(count(context, "events.outbox_schema_history WHERE version = '1'"))
                            .isOne();
                    context.getBean(Subscriptions.class).start("1", "gold");
                    List<String> plans = context.getBean(Licensing.class).plans;
                    await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                });
    }

    /** Its SQL initialization may scan all JARs. */
    @Test
    void scanOfAllJarsFindsTheScriptsOfTheApplicationOnly() throws IOException {
        assertThat(new PathMatchingResourcePatternResolver().getResources("classpath*:db/**/*.sql"))
                .isNotEmpty()
                .allSatisfy((script) -> assertThat(script.getURI()).asString().contains("/test-classes/"));
    }

    @Test
    void clockOfTheApplicationMayReadTheDatabase() {
        Applications.withSubscriptionsOn(database)
                .withBean(DatabaseClock.class)
                .run((context) -> assertThat(context.getBean(Subscriptions.class)
                                .start("1", "gold")
                                .occurredAt())
                        .isEqualTo(NOON));
    }

    @Test
    void schemasAreThoseOfTheProperties() {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.schema=shop_events", "outbox.retention.archive-schema=shop_archive")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");
                    await().untilAsserted(() -> assertThat(count(context, "shop_events.outbox_published"))
                            .isOne());
                    assertThat(count(context, "shop_archive.events")).isZero();
                    assertThat(count(context, "pg_namespace WHERE nspname IN ('events', 'audit')"))
                            .isZero();
                });
    }

    @Test
    void schemaPublicHoldsTheTablesBesideThoseOfTheApplication() {
        Applications.withSubscriptionsOn(database)
                .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("outbox.schema=public", "outbox.retention.archive-schema=public")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");
                    await().untilAsserted(() -> assertThat(count(context, "public.outbox_published"))
                            .isOne());
                    assertThat(count(context, "public.subscription")).isZero();
                    assertThat(count(context, "public.flyway_schema_history")).isOne();
                });
    }

    private static List<String> dependencies(
            org.springframework.context.ConfigurableApplicationContext context, String beanName) {
        String[] names =
                context.getBeanFactory().getMergedBeanDefinition(beanName).getDependsOn();
        return names == null ? List.of() : List.of(names);
    }

    static class DatabaseClock extends Clock {

        private final JdbcTemplate jdbc;

        DatabaseClock(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Override
        public Instant instant() {
            return jdbc.queryForObject("SELECT timestamptz '" + NOON + "'", OffsetDateTime.class)
                    .toInstant();
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
