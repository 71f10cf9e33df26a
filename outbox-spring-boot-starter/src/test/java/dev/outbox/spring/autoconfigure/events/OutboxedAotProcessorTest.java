package dev.outbox.spring.autoconfigure.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.spring.autoconfigure.events.Shop.Unmarked;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.aot.BeanFactoryInitializationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.javapoet.ClassName;

class OutboxedAotProcessorTest {

    private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

    @Test
    void markedClassesOfTheApplicationGetHints() throws Exception {
        AutoConfigurationPackages.register(beanFactory, getClass().getPackageName());
        beanFactory.registerBeanDefinition("listener", new RootBeanDefinition(OutboxedEventListener.class));

        RuntimeHints hints = hints();

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(OrderPlaced.class.getDeclaredMethod("orderId")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Inherited.class.getDeclaredMethod("deliveryId")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(OrderPlaced.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Unmarked.class).test(hints))
                .isFalse();
    }

    @Test
    void applicationWithoutSpringEventsGetsNoHints() {
        AutoConfigurationPackages.register(beanFactory, getClass().getPackageName());

        assertThat(processor().processAheadOfTime(beanFactory)).isNull();
    }

    private RuntimeHints hints() {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(getClass())), new InMemoryGeneratedFiles());
        BeanFactoryInitializationAotContribution contribution =
                Objects.requireNonNull(processor().processAheadOfTime(beanFactory));
        contribution.applyTo(generation, mock(BeanFactoryInitializationCode.class));
        return generation.getRuntimeHints();
    }

    private static BeanFactoryInitializationAotProcessor processor() {
        return AotServices.factories().load(BeanFactoryInitializationAotProcessor.class).stream()
                .filter(OutboxedAotProcessor.class::isInstance)
                .findFirst()
                .orElseThrow();
    }

    @Outboxed(aggregateType = "delivery", aggregateId = "deliveryId")
    interface Delivery {

        String deliveryId();
    }

    record Inherited(String deliveryId) implements Delivery {}
}
