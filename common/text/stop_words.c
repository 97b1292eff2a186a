/* Function words by language. Searches ignore them, and language detection counts them. Forms of
 * "be" and "have", question words and polite phrases are included; words that may be the topic of a
 * question are not. */
#include "text/stop_words.h"

const char *const stop_word_lists[TEXT_LANGUAGE__MAX] = {
    [TEXT_EN] =
        "i me my myself we our ours ourselves you your yours he him his she her hers it its they "
        "them their theirs what which who whom whose this that these those am is are was were be "
        "been being have has had having do does did doing done a an the and but if or because as "
        "until while of at by for with about against between into through during before after "
        "above below to from up down in out on off over under again further then once here there "
        "when where why how all any both each few more most other some such no nor not only own "
        "same so than too very can will just should now would could may might must shall also let "
        "us many much tell me please explain list name give find get anything something someone "
        "everyone mean means interested know like want need s t don ll re ve d m",
    [TEXT_DE] =
        "der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren "
        "wird werden wurde wurden worden hat haben hatte hatten in im an am auf aus bei beim mit "
        "nach von vom zu zum zur für über unter durch um als wie was wer wen wem wessen wo wann "
        "warum wieso weshalb wohin woher womit wodurch worin woran wofür worauf welche welcher "
        "welches welchen welchem wieviel viele viel man sich es er sie wir ihr ich du mein meine "
        "meinen meinem meiner dein nicht kein keine keinen auch noch nur dass so dies diese dieser "
        "dieses diesen diesem ohne gegen während bis wenn weil denn doch damit dann da dort hier "
        "kann können könnte konnte muss müssen soll sollte darf dürfen sei etwa seine seiner "
        "seinen seinem ihre ihrer ihren bitte mir mich gibt gab heißt heißen",
    [TEXT_FR] =
        "le la les l un une des de du d et ou mais est sont était étaient être été a ont avait "
        "avaient avoir en dans sur sous par pour avec sans entre vers chez comme que qu quoi qui "
        "quel quelle quels quelles dont où quand comment pourquoi combien ce cet cette ces c se s "
        "son sa ses leur leurs il elle ils elles on nous vous je j tu me m te mon ma mes votre vos "
        "notre nos ne n pas plus moins y au aux si aussi peut peuvent puis doit faut fait faire "
        "est-ce sera seront après avant très tout tous toute toutes cela ça",
    [TEXT_ES] =
        "el la los las un una unos unas de del a al en y o u es son era eran fue fueron ser sido "
        "está están estaba estaban ha han había por para con sin sobre entre como qué que cuál "
        "cuáles quién quiénes quien cómo cuándo cuando dónde donde cuánto cuántos cuánta cuántas "
        "se su sus lo le les más no si este esta estos estas ese esa eso esto hay porque muy "
        "también ya tiene tienen tenía tenían puede puedo pueden desde hasta durante cuyo cuya "
        "cual yo mi mis tu me te nos debo debe hace hacer hizo llama",
    [TEXT_IT] =
        "il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli "
        "alle da dal dalla in nel nello nella nei nelle su sul sulla con per tra fra e ed o ma se "
        "che chi cui cosa quale quali quando dove come perché quanto quanta quanti quante è sono "
        "era erano essere stato stata ha hanno aveva avere non più si ci mi ti vi io tu lui lei "
        "noi voi loro mio mia suo sua questo questa questi queste quello quella anche può possono "
        "posso devo deve viene c",
    [TEXT_PT] =
        "o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem "
        "sobre entre e ou mas se que quem qual quais quando onde como porque porquê quanto quanta "
        "quantos quantas é são era eram ser foi foram está estão estava tem têm tinha ter há não "
        "mais ao aos à às eu tu ele ela nós você vocês eles elas meu minha seu sua este esta esse "
        "essa isto isso também pode posso podem devo deve já muito até",
    [TEXT_NL] =
        "de het een en of maar is zijn was waren wordt worden werd werden heeft hebben had in op "
        "aan van voor met naar bij uit over onder door tot om als dan dat die dit deze wat wie "
        "welke welk waar wanneer waarom hoe hoeveel ik je jij u hij zij ze wij we jullie mijn uw "
        "hun er niet geen ook nog wel kan kunnen moet moeten mag zal zou te zich",
    [TEXT_PL] =
        "i w we na z ze do od po o u za przez dla bez przed pod nad między jest są był była było "
        "były być nie tak się to ten ta te tego tej tych co kto kogo który która które których "
        "jaki jaka jakie kiedy gdzie jak ile dlaczego czy ale lub albo oraz ja ty on ona my wy oni "
        "mój moja mi mnie czym jego jej ich może można należy",
    [TEXT_CS] =
        "a i v ve na z ze do od po o u za pro bez před pod nad mezi je jsou byl byla bylo byli být "
        "ne se si to ten ta te toho té těch co kdo koho který která které jaký jaká jaké kdy kde "
        "jak kolik proč zda ale nebo já ty on ona my vy oni můj moje mi mě jeho její jejich může "
        "lze jako s k",
    [TEXT_TR] =
        "ve veya ile bir bu şu o da de mi mı mu mü ne kim kimin hangi nasıl neden niçin nerede "
        "nereye ne zaman kaç kadar için gibi daha çok en olan olarak oldu olduğu var yok değil ben "
        "sen biz siz onlar benim ama ancak ya ki her",
    [TEXT_SV] =
        "och eller men är var vara varit blir blev har hade ha i på av för med till från om under "
        "över efter vid som att det den de en ett detta denna dessa vad vem vilken vilket vilka "
        "när var hur varför hur många mycket jag du han hon vi ni min mitt sin inte kan kunde ska "
        "skulle måste får så också",
    [TEXT_FI] =
        "ja tai mutta on ovat oli olivat olla ei eivät se ne tämä nämä tuo mikä mitä missä milloin "
        "miten miksi kuka kuinka montako joka jotka että kun jos niin minä sinä hän me te he minun "
        "voi voin pitää myös sekä",
    [TEXT_DA] =
        "og eller men er var være været bliver blev har havde i på af for med til fra om under "
        "over efter ved som at det den de en et dette denne disse hvad hvem hvilken hvilket hvilke "
        "hvornår hvor hvordan hvorfor jeg du han hun vi min mit sin ikke kan kunne skal må også",
    [TEXT_NO] =
        "og eller men er var være vært blir ble har hadde i på av for med til fra om under over "
        "etter ved som at det den de en et ei dette denne disse hva hvem hvilken hvilket hvilke "
        "når hvor hvordan hvorfor jeg du han hun vi min mitt sin ikke kan kunne skal må også",
    [TEXT_RO] =
        "și sau dar este sunt era erau fi fost are au avea în pe la de din cu pentru prin între "
        "fără după ce cine care când unde cum cât câți câte un o al a ai ale acest această acesta "
        "aceasta eu tu el ea noi voi nu se să mai poate trebuie",
    [TEXT_HU] =
        "a az egy és vagy de van vannak volt voltak lesz nem is ez azok ezek hogy ha mi ki mit kit "
        "melyik milyen mikor hol hogyan miért hány mennyi én te ő mi ti ők csak meg el be fel le "
        "mint kell lehet",
    [TEXT_RU] =
        "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее "
        "мне было вот от меня еще нет о из ему когда даже ну вдруг ли если уже или ни быть был "
        "него до вас нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо "
        "ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто "
        "этот того потому этого какой какая какие какое каких каким какую какого какому совсем ним "
        "здесь этом один почти мой тем чтобы нее сейчас были куда зачем всех можно при об другой "
        "другую хоть после над больше тот через эти нас про них много эту моя свою этой перед "
        "иногда чуть том такой им всегда всю между это эта сколько скольких почему нужно нужен "
        "нужна нужны можем могу мочь является делать назови перечисли скажи расскажи объясни "
        "подскажите пожалуйста который которая которые течение случае либо означает значит "
        "означают надо сначала каков какова каковы кого кому чему чем которое которых которым "
        "которой были являются называется называют",
    [TEXT_UK] =
        "і й та в у на з із зі до від по про за для без через під над між є був була було були "
        "бути не ні що хто кого який яка яке які яких коли де як скільки чому чи але або це цей ця "
        "ці того той та те я ти він вона воно ми ви вони мій моя мені його її їх може можна треба "
        "потрібно же б так якщо щоб",
    [TEXT_BE] =
        "і ў у на з да ад па пра за для без праз пад над паміж ёсць быў была было былі быць не што "
        "хто які якая якое якія калі дзе як колькі чаму ці але або гэта гэты гэтая я ты ён яна яно "
        "мы вы яны мой мая можа можна трэба каб",
    [TEXT_EL] =
        "ο η το οι τα του της των τον την ένας μια ένα και ή αλλά είναι ήταν έχει έχουν είχε σε "
        "στο στη στην στον στα στις από για με χωρίς πριν μετά που πώς πως πότε πού γιατί ποιος "
        "ποια ποιο ποιοι ποιες πόσο πόσα πόσες τι αυτό αυτή αυτός εγώ εσύ μου σου του δεν να θα "
        "μπορώ μπορεί πρέπει",
    [TEXT_HE] =
        "של את על אל עם מן הוא היא הם הן אני אתה אנחנו זה זאת זו אלה מה מי מתי איפה איך למה כמה "
        "האם כי אם או גם לא כן יש אין היה הייתה היו להיות אשר בין לפני אחרי כל",
    [TEXT_AR] =
        "في من إلى الى على عن مع ما ماذا هو هي هم هما كان كانت يكون تكون التي الذي الذين هذا هذه "
        "ذلك تلك كم كيف متى أين أي أو و لا لم لن قد بعد قبل بين عند كل كما أن إن هل لماذا ليس انه "
        "انها هناك أيضا لدى تم يتم حيث خلال غير بها به له لها لهم فيها فيه منها منه عليها عليه "
        "وما ومن لمن مما عما بم اسم هي أنا أنت نحن يمكن يمكنني يجب ال ب ل لل ف ك وال بال فال كال",
    [TEXT_FA] =
        "و در به از که این آن را با برای است هست بود بودند شد می های ها چه چی کی کجا چگونه چطور "
        "چرا چند کدام آیا من تو او ما شما آنها هم یا اما تا بر یک نیست باید",
    [TEXT_HI] = "का की के को में से पर ने और या है हैं था थी थे हो होता होती क्या कौन कब कहाँ कैसे क्यों "
                "कितना कितने कितनी किस यह वह ये वे मैं आप हम मेरा लिए नहीं भी तो ही तक जो कि एक कर",
};

/* Chinese particles, pronouns, question characters. Japanese and Korean particles are not listed:
 * their tokens have a low weight because they are frequent. */
const char *const stop_characters =
    "的是了吗呢哪什么谁几麼嗎誰幾和与與被在有其之于於个個些为為何到由从從将將会會请請我你您";
