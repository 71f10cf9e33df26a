package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class OutboxRuntimeHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    @BeforeEach
    void register() {
        new OutboxRuntimeHints().registerHints(hints, getClass().getClassLoader());
    }

    @Test
    void filesAreIncluded() {
        for (String file : new String[] {
            "db/outbox/migration/V1__outbox.sql", "db/outbox/migration/R__archive.sql", "META-INF/outbox.properties"
        }) {
            assertThat(getClass().getClassLoader().getResource(file)).as(file).isNotNull();
            assertThat(RuntimeHintsPredicates.resource().forResource(file))
                    .as(file)
                    .accepts(hints);
        }
    }

    @Test
    void poolRevealsItsUrlAndCredentials() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(HikariDataSource.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }

    @Test
    void namesOfPropertiesAreKnown() {
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(OutboxProperties.Poller.class, "notifications"))
                .accepts(hints);
    }
}
