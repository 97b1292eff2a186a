/* Small talk: the phrases of each language, and a match that must use up the whole message. */
#include "support/questions/small_talk.h"
#include "text/plain.h"
#include "text/words.h"

#include <string.h>

enum { MESSAGE_BYTES = 240, GREETING_WORDS = 4 };

/* Phrases separated by `|`, as folded words with one blank between them. `fillers` may surround
 * the others and are nothing alone. In a request for a person, fillers and nouns stand in any
 * order. */
struct small_talk_phrases {
    enum text_language language;
    const char *phrases[SMALL_TALK__MAX];
    const char *fillers;
    const char *replies[SMALL_TALK__MAX];
};

/* NOLINTBEGIN(bugprone-suspicious-missing-comma): long texts go on over the next line */
static const struct small_talk_phrases languages[] = {
    {TEXT_EN,
     {NULL,
      "hello|hi|hey|hiya|howdy|greetings|good morning|good afternoon|good evening|good day|how are "
      "you|how are you doing|how is it going|how s it going|how do you do|what s up|nice to meet "
      "you",
      "thanks|thank you|thx|ty|thanks a lot|thank you very much|thank you so much|many "
      "thanks|cheers|that helped|that helps|that s all|that is all|that was helpful|that s "
      "helpful|very helpful|great|perfect|awesome|excellent|cool|ok|okay|got it|i see|all "
      "clear|understood|no thanks|no thank you|you are welcome",
      "bye|goodbye|good bye|bye bye|see you|see you later|farewell|good night|have a nice day|have "
      "a good day",
      "who are you|what are you|what s your name|what is your name|are you a bot|are you a "
      "robot|are you human|are you a human|are you an ai|are you ai|are you a machine|are you a "
      "person|are you a real person|are you real|am i talking to a bot|am i talking to a human|am "
      "i talking to a person|what can you do|what do you do|what can i ask|what can i ask you|how "
      "can you help|how can you help me|can you help|can you help me|could you help me|i need "
      "help|i need your help|help|help me|i have a question|i have some questions|can i ask a "
      "question|can i ask you something|how does this work",
      "human|a human|human being|person|real person|live person|agent|live agent|human "
      "agent|support "
      "agent|operator|human operator|employee|representative|real human|somebody real|someone "
      "real|a member of staff|customer service|customer support|support team|live chat"},
     "please|there|everyone|all|dear|bot|assistant|team|again|now|so|much|very|well|and|oh|sir|"
     "madam|"
     "for the help|for your help|for your "
     "answer|for the answer|for the information|i|i d|i "
     "would|like|want|need|wanna|to|can|could|may|"
     "you|let|me|talk|speak|chat|connect|transfer|put|through|with|a|an|the|get|give|"
     "my|just|rather|instead|not a bot|directly|someone|somebody|some|from",
     {NULL, "Hello! Ask me a question and I will look for the answer in our documents.",
      "You're welcome! If you have another question, just ask.", "Goodbye! Come back any time.",
      "I am an automated assistant. I answer questions from our documents and show where each "
      "answer "
      "comes from. If you prefer a person, just say so.",
      "I have passed this conversation on to a colleague, who will answer you here."}},
    {TEXT_DE,
     {NULL,
      "hallo|hi|hey|moin|moin moin|servus|guten tag|guten morgen|guten abend|gruss gott|grüss "
      "gott|gruezi|grüezi|grüss dich|wie geht s|wie gehts|wie geht es dir|wie geht es ihnen",
      "danke|danke schön|dankeschön|danke sehr|vielen dank|vielen lieben dank|herzlichen "
      "dank|besten dank|danke dir|danke ihnen|super|prima|perfekt|alles klar|verstanden|das war "
      "alles|das hilft mir|das hat geholfen|das hat mir geholfen|nein danke|in ordnung|ok|okay",
      "tschüss|tschuss|tschau|ciao|auf wiedersehen|auf wiederhören|bis bald|bis später|gute "
      "nacht|schönen tag noch|einen schönen tag|schönen tag",
      "wer bist du|wer sind sie|was bist du|wie heisst du|wie heissen sie|bist du ein bot|bist du "
      "ein "
      "roboter|bist du ein mensch|sind sie ein mensch|sind sie ein bot|sind sie ein roboter|bist "
      "du "
      "echt|bist du eine ki|spreche ich mit einem bot|spreche ich mit einem menschen|was kannst "
      "du|was "
      "können sie|was kann ich dich fragen|was kann ich fragen|wie kannst du mir helfen|wie können "
      "sie mir helfen|kannst du mir helfen|können sie mir helfen|ich brauche hilfe|hilfe|ich habe "
      "eine frage|ich hätte eine frage|wie funktioniert das",
      "mensch|menschen|person|mitarbeiter|mitarbeiterin|berater|beraterin|kundenberater|"
      "kundenservice|kundendienst|kundenbetreuer|agent|agenten|operator|echten menschen|echter "
      "mensch|richtigen menschen|support mitarbeiter|jemandem aus dem team|support"},
     "bitte|zusammen|alle|liebes|team|an|das|auch|noch|mal|gern|gerne|sehr|und|für die hilfe|für "
     "ihre "
     "hilfe|für deine hilfe|für die antwort|für die "
     "auskunft|ich|möchte|will|würde|kann|könnte|mich|"
     "mir|sie|du|mit|zu|einem|einen|einer|eine|ein|der|dem|den|sprechen|reden|chatten|verbinden|"
     "verbinde|geben|holen|lieber|direkt|jetzt|von|echten|richtigen|jemandem|brauche",
     {NULL, "Guten Tag! Stellen Sie mir eine Frage, ich suche die Antwort in unseren Dokumenten.",
      "Gern geschehen! Wenn Sie noch eine Frage haben, fragen Sie einfach.",
      "Auf Wiedersehen! Ich bin jederzeit für Sie da.",
      "Ich bin ein automatischer Assistent. Ich beantworte Fragen aus unseren Dokumenten und "
      "zeige, "
      "woher die Antwort stammt. Wenn Sie lieber mit einem Menschen sprechen, sagen Sie es "
      "einfach.",
      "Ich habe Ihre Unterhaltung an unser Team weitergegeben. Ein Mensch wird Ihnen hier "
      "antworten."}},
    {TEXT_FR,
     {NULL,
      "bonjour|bonsoir|salut|coucou|allo|bonne journée à tous|ça va|comment ça va|comment allez "
      "vous|comment vas tu",
      "merci|merci beaucoup|merci bien|mille mercis|un grand merci|grand merci|je vous remercie|je "
      "te remercie|parfait|super|génial|très bien|c est clair|c est noté|c est "
      "tout|compris|d accord|non merci|ça m a aidé|cela m a aidé|ok",
      "au revoir|à bientôt|à plus tard|à plus|adieu|bonne journée|bonne soirée|bonne nuit",
      "qui êtes vous|qui es tu|vous êtes qui|tu es qui|quel est votre nom|comment t appelles "
      "tu|comment vous appelez vous|êtes vous un robot|es tu un robot|êtes vous un humain|es tu un "
      "humain|es tu humain|êtes vous humain|êtes vous une ia|es tu une ia|êtes vous un bot|es tu "
      "un "
      "bot|est ce que je parle à un robot|est ce que je parle à un humain|que pouvez vous "
      "faire|que "
      "peux tu faire|que savez vous faire|que sais tu faire|comment pouvez vous m aider|comment "
      "peux tu m "
      "aider|pouvez vous m aider|peux tu m aider|j ai besoin d aide|aide|à l aide|aidez moi|j ai "
      "une "
      "question|comment ça marche",
      "humain|être humain|personne|vraie personne|personne réelle|conseiller|conseillère|agent|"
      "opérateur|opératrice|employé|vrai humain|service client|le support|quelqu un"},
     "s il vous plaît|s il te plaît|svp|à tous|tout le monde|beaucoup|bien|encore|et|pour votre "
     "aide|"
     "pour ton aide|pour la réponse|pour votre réponse|pour l "
     "information|je|voudrais|veux|souhaite|"
     "souhaiterais|aimerais|peux|puis|pourrais|parler|discuter|échanger|passer|mettre|"
     "passez|mettez|à|avec|un|une|le|la|l|moi|me|en|relation|vrai|vraie|maintenant|"
     "directement|est ce que|j|besoin|d|du|au|votre",
     {NULL, "Bonjour ! Posez-moi une question et je chercherai la réponse dans nos documents.",
      "Avec plaisir ! Si vous avez une autre question, n'hésitez pas.", "Au revoir et à bientôt !",
      "Je suis un assistant automatique. Je réponds aux questions à partir de nos documents et "
      "j'indique d'où vient chaque réponse. Si vous préférez parler à une personne, dites-le-moi.",
      "J'ai transmis votre conversation à un collègue, qui vous répondra ici."}},
    {TEXT_ES,
     {NULL,
      "hola|buenos días|buen día|buenas tardes|buenas noches|buenas|saludos|qué tal|cómo "
      "estás|cómo está|cómo está usted|cómo va",
      "gracias|muchas gracias|mil gracias|muchísimas gracias|te lo agradezco|se lo agradezco|"
      "perfecto|genial|estupendo|excelente|muy bien|vale|de acuerdo|entendido|eso es todo|me ha "
      "ayudado|no gracias|ok",
      "adiós|hasta luego|hasta pronto|hasta la vista|chao|que tenga un buen día|que tengas un buen "
      "día",
      "quién eres|quién es usted|qué eres|cómo te llamas|cómo se llama|cuál es tu nombre|eres un "
      "robot|eres un bot|eres humano|eres una persona|eres una ia|es usted un robot|es usted "
      "humano|es usted una persona|estoy hablando con un robot|estoy hablando con una "
      "persona|estoy hablando con un humano|hablo con un robot|hablo con una persona|qué puedes "
      "hacer|qué sabes hacer|qué puede hacer|cómo puedes ayudarme|cómo me puedes ayudar|puedes "
      "ayudarme|me puedes ayudar|puede ayudarme|me puede ayudar|necesito ayuda|ayuda|tengo una "
      "pregunta|tengo una duda|cómo funciona esto",
      "humano|ser humano|persona|persona real|agente|agente humano|operador|operadora|empleado|"
      "asesor|asesora|representante|alguien|alguien real|atención al cliente|servicio al "
      "cliente|soporte"},
     "por favor|a todos|equipo|mucho|muy|otra vez|y|por la ayuda|por tu ayuda|por su ayuda|por la "
     "respuesta|por la información|yo|quiero|quisiera|querría|me gustaría|necesito|puedo|podría|"
     "hablar|charlar|chatear|comunicarme|pásame|páseme|ponme|conéctame|conécteme|pasar|con|a|"
     "un|una|el|la|de|real|ahora|directamente|verdad|me",
     {NULL, "¡Hola! Hágame una pregunta y buscaré la respuesta en nuestros documentos.",
      "¡De nada! Si tiene otra pregunta, aquí estoy.", "¡Adiós! Vuelva cuando quiera.",
      "Soy un asistente automático. Respondo preguntas con nuestros documentos e indico de dónde "
      "sale cada respuesta. Si prefiere hablar con una persona, dígamelo.",
      "He pasado su conversación a un compañero, que le responderá aquí."}},
    {TEXT_RU,
     {NULL,
      "привет|здравствуйте|здравствуй|здрасте|добрый день|добрый вечер|доброе утро|доброго "
      "дня|доброго времени суток|приветствую|как дела|как вы|как ты|как поживаете",
      "спасибо|большое спасибо|спасибо большое|огромное спасибо|спасибо "
      "огромное|благодарю|благодарю "
      "вас|отлично|супер|хорошо|понятно|ясно|понял|поняла|все понятно|все ясно|это все|помогло|вы "
      "помогли|вы мне помогли|нет спасибо|ок|окей",
      "пока|до свидания|всего доброго|всего хорошего|до встречи|хорошего дня|спокойной ночи|"
      "прощайте",
      "кто ты|кто вы|ты кто|вы кто|что ты такое|кто ты такой|кто вы такой|как тебя зовут|как вас "
      "зовут|ты бот|вы бот|ты робот|вы робот|ты человек|вы человек|это бот|это робот|я говорю с "
      "ботом|я говорю с роботом|я говорю с человеком|что ты умеешь|что вы умеете|что ты можешь|что "
      "вы "
      "можете|чем вы можете помочь|чем ты можешь помочь|чем можете помочь|вы можете помочь|вы "
      "можете "
      "мне помочь|помогите|помогите мне|помощь|мне нужна помощь|нужна помощь|у меня вопрос|у меня "
      "есть "
      "вопрос|можно вопрос|как это работает",
      "человек|человеком|человека|живой человек|живым человеком|живого "
      "человека|оператор|оператором|"
      "оператора|оператору|сотрудник|сотрудником|сотрудника|менеджер|менеджером|менеджера|"
      "консультант|консультантом|консультанта|специалист|специалистом|специалиста|служба "
      "поддержки|службой поддержки|поддержкой|поддержка|кем нибудь"},
     "пожалуйста|всем|вам|тебе|очень|еще|раз|и|за помощь|за ответ|за информацию|за вашу "
     "помощь|я|хочу|"
     "хотел|хотела|бы|можно|могу|нужен|нужна|мне|нужно|надо|поговорить|пообщаться|связаться|"
     "соедините|соедини|переключите|переведите|позовите|позови|дайте|свяжите|меня|с|со|на|к|живым|"
     "живого|сейчас|лучше|настоящим|настоящего",
     {NULL, "Здравствуйте! Задайте вопрос, и я найду ответ в наших документах.",
      "Пожалуйста! Если появится ещё вопрос, спрашивайте.",
      "До свидания! Обращайтесь в любое время.",
      "Я автоматический помощник. Отвечаю на вопросы по нашим документам и показываю, откуда взят "
      "ответ. Если хотите поговорить с человеком, просто скажите об этом.",
      "Я передал ваш разговор сотруднику, он ответит вам здесь."}},
    {TEXT_AR,
     {NULL,
      "مرحبا|مرحبا بك|مرحبا بكم|اهلا|اهلا وسهلا|اهلا و سهلا|هلا|السلام عليكم|السلام عليكم ورحمه "
      "الله|"
      "السلام عليكم ورحمه الله وبركاته|صباح الخير|مساء الخير|كيف حالك|كيف الحال|تحيه طيبه",
      "شكرا|شكرا لك|شكرا لكم|شكرا جزيلا|الف شكر|جزاك الله "
      "خيرا|اشكرك|اشكركم|ممتاز|رائع|تمام|حسنا|فهمت|"
      "هذا كل شيء|لا شكرا|مشكور",
      "مع السلامه|الي اللقاء|وداعا|تصبح علي خير|اراك لاحقا|في امان الله",
      "من انت|من انتم|ما اسمك|ما انت|هل انت روبوت|هل انت الي|هل انت انسان|هل انت شخص حقيقي|هل انت "
      "بشر|"
      "هل اتحدث مع روبوت|هل اتحدث مع انسان|هل اتحدث مع شخص حقيقي|ماذا يمكنك ان تفعل|ماذا تستطيع ان "
      "تفعل|كيف يمكنك مساعدتي|كيف تساعدني|هل يمكنك مساعدتي|هل تستطيع مساعدتي|احتاج مساعده|احتاج "
      "الي "
      "مساعده|مساعده|ساعدني|لدي سؤال|عندي سؤال|كيف يعمل هذا",
      "انسان|شخص|شخص حقيقي|موظف|موظف حقيقي|موظفه|وكيل|ممثل|ممثل خدمه العملاء|موظف خدمه "
      "العملاء|خدمه "
      "العملاء|الدعم|فريق الدعم|موظف الدعم|بشري|احد الموظفين|مشغل"},
     "من فضلك|لو سمحت|رجاء|جدا|بك|بكم|علي المساعده|علي مساعدتك|علي "
     "الاجابه|اريد|ارغب|اود|احتاج|يمكنني|"
     "هل "
     "يمكنني|في|ان|التحدث|اتحدث|الحديث|اتكلم|التكلم|التواصل|تواصل|حولني|وصلني|الي|مع|حقيقي|الان|ب",
     {NULL, "مرحبًا! اطرح سؤالك وسأبحث عن الإجابة في مستنداتنا.",
      "على الرحب والسعة! إن كان لديك سؤال آخر فاسأل.", "مع السلامة! يسعدني أن أساعدك في أي وقت.",
      "أنا مساعد آلي. أجيب عن الأسئلة من مستنداتنا وأبيّن مصدر كل إجابة. وإن كنت تفضل التحدث إلى "
      "شخص "
      "فأخبرني بذلك.",
      "حوّلت محادثتك إلى أحد الزملاء، وسيرد عليك هنا."}},
    {TEXT_ZH,
     {NULL,
      "你好|您好|你们好|大家好|嗨|哈喽|哈啰|早上好|上午好|中午好|下午好|晚上好|早安|早|在吗|在嘛|"
      "你好吗|您好吗",
      "谢谢|多谢|谢谢你|谢谢您|谢谢你们|非常感谢|感谢|十分感谢|太感谢了|太好了|很好|好的|好|明白了|"
      "知道了|"
      "懂了|没有了|没问题了|不用了|收到|辛苦了",
      "再见|拜拜|回头见|下次见|晚安|祝你愉快",
      "你是谁|您是谁|你是什么|你叫什么|你叫什么名字|您叫什么名字|你是机器人吗|您是机器人吗|"
      "你是真人吗|您是真人吗|"
      "你是人吗|你是人工吗|我在和机器人说话吗|你能做什么|你会做什么|您能做什么|你能帮我吗|"
      "您能帮我吗|你可以帮我吗|"
      "你怎么帮我|帮帮我|帮忙|帮助|我需要帮助|我有个问题|我有一个问题|我有问题|怎么用",
      "人工|人工客服|人工服务|转人工|真人|真人客服|客服|客服人员|人|工作人员|服务人员|专员"},
     "请|了|啊|呀|哦|的|吧|吗|我|要|想|想要|需要|希望|找|和|跟|与|同|转|转接|接|联系|说话|聊|聊聊|"
     "谈|谈谈|"
     "对话|交流|沟通|给我|帮我|可以|能|直接|一个|一位|个|位|帮助|的帮助|的回答|现在|你|您",
     {NULL, "您好！请提出您的问题，我会在我们的文档中为您查找答案。",
      "不客气！如果还有其他问题，请随时提问。", "再见！欢迎随时再来。",
      "我是自动助手，根据我们的文档回答问题，并注明每个答案的出处。如果您想与人工客服沟通，请直接告"
      "诉我。",
      "我已将您的对话转给同事，他们会在这里回复您。"}},
    {TEXT_IT,
     {NULL,
      "ciao|salve|buongiorno|buon giorno|buonasera|buona sera|buon pomeriggio|come stai|come va",
      "grazie|grazie mille|molte grazie|tante grazie|ti ringrazio|la ringrazio|perfetto|va bene|ho "
      "capito|no grazie|ok",
      "arrivederci|a presto|buona giornata|buona serata|buonanotte",
      "chi sei|chi è lei|come ti chiami|sei un robot|sei un bot|sei umano|sei una persona|cosa "
      "puoi "
      "fare|cosa sai fare|puoi aiutarmi|mi puoi aiutare|ho bisogno di aiuto|aiuto|ho una domanda",
      "umano|essere umano|persona|persona reale|operatore|operatrice|agente|addetto|assistenza "
      "clienti|servizio clienti"},
     "per favore|a tutti|e|per l aiuto|per la "
     "risposta|voglio|vorrei|posso|potrei|parlare|con|un|una|l|"
     "un operatore|mi|passi|metta|contatto|in|reale",
     {NULL, "Salve! Mi faccia una domanda e cercherò la risposta nei nostri documenti.",
      "Prego! Se ha un'altra domanda, chieda pure.", "Arrivederci e a presto!",
      "Sono un assistente automatico. Rispondo alle domande con i nostri documenti e indico da "
      "dove "
      "viene ogni risposta. Se preferisce parlare con una persona, me lo dica.",
      "Ho passato la conversazione a un collega, che le risponderà qui."}},
    {TEXT_PT,
     {NULL, "olá|oi|bom dia|boa tarde|boa noite|tudo bem|como está|como vai",
      "obrigado|obrigada|muito obrigado|muito obrigada|agradeço|perfeito|está bem|entendi|não "
      "obrigado|não obrigada|ok",
      "adeus|tchau|até logo|até breve|até mais|tenha um bom dia",
      "quem é você|quem és tu|quem és|qual é o seu nome|você é um robô|és um robô|você é humano|és "
      "humano|o que você pode fazer|o que sabe fazer|pode me ajudar|pode ajudar me|preciso de "
      "ajuda|ajuda|tenho uma pergunta|tenho uma dúvida",
      "humano|ser humano|pessoa|pessoa real|atendente|operador|operadora|agente|funcionário|apoio "
      "ao "
      "cliente|atendimento ao cliente"},
     "por favor|a todos|e|pela ajuda|pela resposta|quero|queria|gostaria|de|posso|preciso|falar|"
     "conversar|com|um|uma|o|a|me|passe|ligue|real",
     {NULL, "Olá! Faça-me uma pergunta e procurarei a resposta nos nossos documentos.",
      "De nada! Se tiver outra pergunta, é só perguntar.", "Até logo! Volte quando quiser.",
      "Sou um assistente automático. Respondo a perguntas com os nossos documentos e indico de "
      "onde "
      "vem cada resposta. Se preferir falar com uma pessoa, é só dizer.",
      "Passei a sua conversa a um colega, que lhe responderá aqui."}},
    {TEXT_UK,
     {NULL, "привіт|вітаю|добрий день|добрий вечір|доброго дня|доброго ранку|як справи",
      "дякую|щиро дякую|дуже дякую|спасибі|чудово|добре|зрозуміло|ні дякую",
      "до побачення|бувайте|на все добре|гарного дня",
      "хто ти|хто ви|як тебе звати|як вас звати|ти бот|ви бот|ти робот|ви робот|ти людина|ви "
      "людина|що ти вмієш|що ви вмієте|чим можете допомогти|допоможіть|мені потрібна допомога|у "
      "мене "
      "питання|у мене є питання",
      "людина|людиною|живою людиною|оператор|оператором|оператора|співробітник|співробітником|"
      "менеджером|менеджер|службою підтримки|підтримкою"},
     "будь ласка|всім|дуже|за допомогу|за відповідь|я|хочу|хотів|хотіла|б|би|можна|мені|потрібен|"
     "поговорити|зв язатися|з|із|зі|мене|з єднайте|покличте",
     {NULL, "Вітаю! Поставте запитання, і я знайду відповідь у наших документах.",
      "Прошу! Якщо з'явиться ще запитання, питайте.", "До побачення! Звертайтеся будь-коли.",
      "Я автоматичний помічник. Відповідаю на запитання за нашими документами й показую, звідки "
      "взято "
      "відповідь. Якщо хочете поговорити з людиною, просто скажіть про це.",
      "Я передав вашу розмову співробітнику, він відповість вам тут."}},
    {TEXT_TH,
     {NULL, "สวัสดี|สวัสดีครับ|สวัสดีค่ะ|สวัสดีคะ|หวัดดี|อรุณสวัสดิ์|สบายดีไหม",
      "ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|ขอบคุณมากครับ|ขอบคุณมากค่ะ|ขอบใจ|เข้าใจแล้ว|ตกลง|โอเค",
      "ลาก่อน|แล้วพบกันใหม่|บาย",
      "คุณคือใคร|คุณเป็นใคร|คุณชื่ออะไร|คุณเป็นบอทหรือเปล่า|คุณเป็นคนหรือเปล่า|คุณทำอะไรได้บ้าง|ช่วยด้วย|ช่วยหน่อย|"
      "มีคำถาม|ขอความช่วยเหลือ",
      "เจ้าหน้าที่|พนักงาน|คนจริง|คนจริงๆ|แอดมิน|ฝ่ายบริการลูกค้า"},
     "ครับ|ค่ะ|คะ|นะ|อยาก|ต้องการ|ขอ|ฉัน|ผม|ดิฉัน|คุย|พูด|ติดต่อ|กับ|สาย|หน่อย|ได้ไหม",
     {NULL, "สวัสดี! ถามคำถามได้เลย เราจะค้นหาคำตอบจากเอกสารของเรา", "ยินดีให้บริการ! หากมีคำถามอื่น ถามได้เลย",
      "ลาก่อน! กลับมาได้ทุกเมื่อ",
      "นี่คือผู้ช่วยอัตโนมัติ ตอบคำถามจากเอกสารของเราและบอกที่มาของคำตอบ หากต้องการคุยกับเจ้าหน้าที่ โปรดบอกได้เลย",
      "ส่งการสนทนาของคุณให้เจ้าหน้าที่แล้ว เจ้าหน้าที่จะตอบคุณที่นี่"}},
};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

enum { LANGUAGES = sizeof languages / sizeof languages[0] };

/* Takes the longest phrase at each place, of the highest kind among equally long ones. */
static enum small_talk kind_in(const struct small_talk_phrases *phrases, const char *text)
{
    enum small_talk found = SMALL_TALK_NONE;

    while (*text) {
        size_t longest = plain_phrase_at(text, phrases->fillers);
        enum small_talk kind = SMALL_TALK_NONE;

        for (int i = SMALL_TALK_GREETING; i < SMALL_TALK__MAX; i++) {
            size_t length = plain_phrase_at(text, phrases->phrases[i]);

            if (length && length >= longest) {
                longest = length;
                kind = (enum small_talk)i;
            }
        }
        if (!longest)
            return SMALL_TALK_NONE;
        found = kind > found ? kind : found;
        text += longest;
        text += *text == ' ';
    }
    return found;
}

enum small_talk small_talk_of(struct arena *arena, const char *message,
                              enum text_language *language)
{
    size_t bytes = strlen(message);
    const char *text = bytes <= MESSAGE_BYTES ? text_plain(arena, message, bytes) : "";

    for (size_t i = 0; i < LANGUAGES; i++) {
        enum small_talk kind = kind_in(&languages[i], text);

        if (kind) {
            *language = languages[i].language;
            return kind;
        }
    }
    return SMALL_TALK_NONE;
}

static bool is_courtesy(struct arena *arena, const char *text, size_t length)
{
    enum text_language language;
    enum small_talk kind = small_talk_of(arena, arena_copy(arena, text, length), &language);

    return kind >= SMALL_TALK_GREETING && kind <= SMALL_TALK_FAREWELL;
}

/* The length of the clause at `text` with its mark; the whole text when it has none. */
static size_t clause_length(const char *text)
{
    static const char *const marks[] = {",", ".", "!",  ";",  ":",  "?",  "\n", "،",
                                        "؛", "؟", "，", "。", "！", "？", "、"};

    for (size_t at = 0; text[at]; at++) {
        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
            if (strncmp(text + at, marks[i], strlen(marks[i])) == 0)
                return at + strlen(marks[i]);
        }
    }
    return strlen(text);
}

/* The length of the greeting that begins a text without a mark after it; 0 for none. */
static size_t greeting_length(struct arena *arena, const char *text)
{
    struct word_reader reader;
    struct word word;
    size_t longest = 0;

    word_reader_start(&reader, text, strlen(text));
    for (int words = 0; words < GREETING_WORDS && word_next(&reader, &word); words++) {
        enum text_language language;

        if (small_talk_of(arena, arena_copy(arena, text, word.end), &language) ==
            SMALL_TALK_GREETING)
            longest = word.end;
    }
    return longest;
}

const char *small_talk_strip(struct arena *arena, const char *message)
{
    const char *text = message, *last = NULL;
    size_t length;

    while (*text) {
        length = clause_length(text);
        if (!is_courtesy(arena, text, length))
            length = greeting_length(arena, text);
        if (!length)
            break;
        text += length;
        text += strspn(text, " ,.!\n\t");
    }
    if (!*text)
        return message;
    for (const char *at = text; *at; at += length) {
        length = clause_length(at);
        if (!is_courtesy(arena, at, length))
            last = at + length;
    }
    return last ? arena_copy(arena, text, (size_t)(last - text)) : message;
}

const char *small_talk_reply(enum small_talk kind, enum text_language language)
{
    for (size_t i = 0; i < LANGUAGES; i++) {
        if (languages[i].language == language)
            return languages[i].replies[kind];
    }
    return languages[0].replies[kind];
}
