package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.mock.env.MockEnvironment;

class LeaveOutTest {

    @Test
    void kafkaNeedsOneOfTheProfiles() {
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            context.setEnvironment(new MockEnvironment().withProperty("sample.transport", "kafka"));

            assertThatIllegalStateException()
                    .isThrownBy(() -> new LeaveOut().initialize(context))
                    .withMessageContaining("set spring.profiles.active=web for one");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "web, trading.FillPolling, true",
        "web, trading.upbit.UpbitConfiguration, true",
        "web, trading.Signals, false",
        "worker, trading.FillPolling, false",
        "worker, trading.upbit.UpbitConfiguration, false"
    })
    void overKafkaOnlyTheWorkerCallsTheExchange(String profile, String part, boolean leftOut) {
        MetadataReaderFactory classes = new SimpleMetadataReaderFactory();
        new ApplicationContextRunner()
                .withPropertyValues("sample.transport=kafka", "spring.profiles.active=" + profile)
                .withInitializer(new ConfigDataApplicationContextInitializer())
                .withInitializer(new LeaveOut())
                .run((context) -> assertThat(context.getBean("leaveOut", TypeExcludeFilter.class)
                                .match(classes.getMetadataReader("dev.outbox.sample." + part), classes))
                        .isEqualTo(leftOut));
    }
}
