package dev.outbox.sample.eventbus.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.KafkaAdmin.NewTopics;

class TopicsTest {

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withInitializer(new ConfigDataApplicationContextInitializer())
            .withPropertyValues("sample.transport=kafka")
            .withUserConfiguration(Topics.class);

    @Test
    void kafkaNeedsOneOfTheProfiles() {
        service.run((context) -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("set spring.profiles.active=web for one"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"web", "worker"})
    void profileNamesTheService(String profile) {
        service.withPropertyValues("spring.profiles.active=" + profile)
                .run((context) -> assertThat(context).hasSingleBean(NewTopics.class));
    }
}
